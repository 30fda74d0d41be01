file { '/w/d/': ensure => directory }
file { '/w/d/x': content => 'x' }
