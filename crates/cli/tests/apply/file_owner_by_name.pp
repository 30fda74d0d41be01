# setup: touch /w/a
file { '/w/a': owner => 'daemon', group => 'mail', mode => '0640' }
file { '/w/b': content => 'x', owner => '2', group => 'bin' }
