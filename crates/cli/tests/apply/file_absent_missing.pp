file { '/w/none': ensure => absent }
file { '/w/none/below': ensure => absent }
