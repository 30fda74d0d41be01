exec { '/bin/false': } -> file { '/w/a': content => 'a' } -> file { '/w/b': content => 'b' }
file { '/w/c': content => 'c' }
