# setup: touch /w/up
class config { file { '/w/conf': content => "x\n" } }
class daemon {
  service { 'peer': ensure => running, provider => base, start => '/usr/bin/touch /w/up', stop => '/bin/rm /w/up', status => '/usr/bin/test -e /w/up', restart => '/bin/sh -c "echo restart >> /w/log"' }
}
include config, daemon
Class['config'] ~> Class['daemon']
