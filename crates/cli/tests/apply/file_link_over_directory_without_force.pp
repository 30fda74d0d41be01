# setup: mkdir /w/d
file { '/w/d': ensure => link, target => '/x' }
