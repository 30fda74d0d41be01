file { '/w/a': content => 'a' }
file { '/w/b': content => 'b', source => '/w/a' }
