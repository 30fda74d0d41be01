# setup: ln -s /w/real /w/l; echo real >/w/real
file { '/w/l': ensure => file, content => 'own' }
