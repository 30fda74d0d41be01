# setup: touch /w/a; chmod 600 /w/a
file { '/w/a': content => 'a', mode => '0644', owner => 1 } ~> exec { '/bin/echo told': refreshonly => true }
