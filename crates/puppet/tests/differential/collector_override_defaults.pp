# What a collector overrides gets the defaults of the collector's scope, too, over what it has: but
# not where a default of its own scope says the same, and only where attributes are written.
Notify { message => 'top' }
class sweeper {
  Notify { message => 'swept', loglevel => 'debug' }
  File { mode => '0600', owner => 'root' }
  User { shell => '/bin/sh' }
  Notify <| title == 'a' or title == 'b' |> { withpath => true }
  File <| title == '/a' |> { group => 'g' }
  File <| title == '/b' |> { * => {} }
  File <| title == '/c' |>
  User <| |> { ensure => present }
}
class near {
  Notify { message => 'near' }
  notify { 'a': }
  notify { 'c': message => 'own' }
  Notify <| title == 'c' |> { message => 'top' }
}
define sized($size = 1) {
  notify { "size ${size}": }
}
class sizes {
  Sized { size => 5 }
  Sized <| |> { loglevel => 'debug' }
}
notify { 'b': message => 'own' }
file { '/a': mode => '0644' }
file { ['/b', '/c']: }
@user { 'x': shell => '/bin/zsh' }
sized { 's': }
include near, sweeper, sizes
