# setup: mkdir -p /w/src/a/b; touch /w/src/1 /w/src/2 /w/src/a/3 /w/src/a/b/4
file { '/w/dst': ensure => directory, recurse => true, source => '/w/src' } ~> exec { '/bin/echo told': refreshonly => true }
