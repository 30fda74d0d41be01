# setup: mkdir -p /w/dst; touch /w/dst/a /w/dst/b /w/dst/c
file { '/w/dst': ensure => directory, recurse => true, purge => true } ~> exec { '/bin/echo told': refreshonly => true }
