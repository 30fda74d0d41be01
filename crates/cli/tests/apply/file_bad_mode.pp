file { '/w/a': content => 'x', mode => '0999' }
