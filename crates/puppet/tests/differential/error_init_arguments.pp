notify { 'a': message => 1 =~ Init[Integer, 'x'] }
