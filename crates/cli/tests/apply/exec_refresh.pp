exec { 'first': command => '/bin/echo first >> /w/log' }
~> exec { 'refreshonly': command => '/bin/echo refreshonly >> /w/log', refreshonly => true }
exec { 'both': command => '/bin/echo both >> /w/log', subscribe => Exec['first'] }
exec { 'other':
  command   => '/bin/echo other >> /w/log',
  refresh   => '/bin/echo other refreshed >> /w/log',
  subscribe => Exec['first'],
}
exec { 'checked':
  command     => '/bin/echo checked >> /w/log',
  refreshonly => true,
  unless      => '/bin/true',
  subscribe   => Exec['first'],
}
exec { 'fails':
  command     => '/bin/false',
  refreshonly => true,
  subscribe   => Exec['first'],
}
exec { 'after': command => '/bin/echo after >> /w/log', require => Exec['fails'] }
