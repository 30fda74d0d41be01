service { 'peer':
  ensure   => running,
  provider => base,
  start    => '/usr/bin/touch /w/up',
  stop     => '/bin/rm -f /w/up',
  status   => '/usr/bin/test -e /w/up',
  restart  => '/bin/sh -c "echo restarted >> /w/log"',
}
service { 'other':
  ensure    => stopped,
  provider  => base,
  start     => '/usr/bin/touch /w/other',
  stop      => '/usr/bin/touch /w/stopped',
  status    => '/usr/bin/test ! -e /w/stopped',
}
exec { '/bin/true': } ~> Service['peer']
