# Every resource type takes `name`, whatever its own name attribute is called.
file { '/srv/x': name => '/srv/y' }
exec { 'run': name => '/bin/true' }
tidy { '/srv/t': name => '/srv/u' }
File <| title == '/srv/x' |> { name => '/srv/z' }
