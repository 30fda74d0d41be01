# setup: mkdir /w/d; touch /w/d/x
file { '/w/d': ensure => absent }
