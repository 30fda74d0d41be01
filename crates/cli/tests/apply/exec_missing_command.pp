exec { '/no/such/command x': }
file { '/w/a': content => 'a' }
