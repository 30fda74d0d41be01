# setup: mkdir -p /w/dst/sub; touch /w/dst/a /w/dst/b; chmod 600 /w/dst/a; chmod 700 /w/dst /w/dst/sub
file { '/w/dst': ensure => directory, recurse => true, mode => '0755' }
file { '/w/dst/b': mode => '0600' }
exec { '/bin/echo told': refreshonly => true, subscribe => [File['/w/dst'], File['/w/dst/b']] }
