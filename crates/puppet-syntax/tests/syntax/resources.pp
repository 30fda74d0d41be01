file { '/a':
  ensure => file,
  mode   => '0644';
['/b', '/c']:
  *      => $attributes,
  notify => Service['d'],
}
@user { 'u': }
@@a::b { 'e': tag => x }
class { 'c': x => 1 }
File { owner => 'root' }
File['/a'] { mode => '0600', require +> Package['p'] }
User <| tag == 'web' and (uid != 0 or gid == 1) |> { shell => '/bin/sh' }
A::B <<| |>>
File['/a'] -> Service['d'] ~> Exec['f'] <- Exec['g'] <~ Exec['h']
