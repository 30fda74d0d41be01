file { '/w/a': content => 'a' }
file { '/w/b': ensure => link, target => '/w/a' }
file { '/w/c': ensure => '/w/b' }
