file { '/w/no/such/file': content => 'x' }
file { '/w/after': content => 'x', require => File['/w/no/such/file'] }
file { '/w/free': content => 'x' }
