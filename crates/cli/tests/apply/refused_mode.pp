file { '/w/a': content => 'a' }
file { '/w/b': content => 'b', mode => '0999' }
