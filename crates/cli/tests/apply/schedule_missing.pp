file { '/w/a': content => 'x', schedule => 'nowhere' }
