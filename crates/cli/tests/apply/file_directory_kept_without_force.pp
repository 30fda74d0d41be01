# differs: log: told once, as the error that it is
# setup: mkdir /w/d; touch /w/d/x
file { '/w/d': ensure => file, content => "x\n" }
