# setup: ln -s /old /w/l
file { '/w/l': ensure => link, target => '/new' }
