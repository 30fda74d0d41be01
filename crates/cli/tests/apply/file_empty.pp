file { '/w/a': ensure => file }
file { '/w/b': ensure => present }
file { '/w/c': content => '' }
