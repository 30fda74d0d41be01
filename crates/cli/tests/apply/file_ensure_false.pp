# setup: touch /w/a
file { '/w/a': ensure => false }
