file { '/w/a': source => 'puppet:///modules/peer/missing' }
file { '/w/b': source => ['/nowhere', '/neither'] }
file { '/w/c': content => "x\n", require => File['/w/a'] }
