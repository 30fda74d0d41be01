# differs: log: told once, as the error that it is
# setup: mkdir /w/d
file { '/w/d': ensure => link, target => '/x' }
