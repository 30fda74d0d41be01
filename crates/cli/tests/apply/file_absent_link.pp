# setup: ln -s /etc /w/l
file { '/w/l': ensure => absent }
