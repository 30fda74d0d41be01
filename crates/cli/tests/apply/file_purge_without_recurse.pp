# setup: mkdir /w/d; touch /w/d/a
file { '/w/d': ensure => directory, purge => true }
