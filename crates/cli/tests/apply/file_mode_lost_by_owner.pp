# setup: touch /w/a; chmod 4755 /w/a
file { '/w/a': owner => 'daemon', mode => '4755' }
