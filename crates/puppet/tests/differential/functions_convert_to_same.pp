# The lambda gets a value that is of the type already, too.
notify { 'a': message => [1.convert_to(Integer) |$x| { $x + 1 }, 'x'.convert_to(Any) |$x| { "${x}!" }] }
