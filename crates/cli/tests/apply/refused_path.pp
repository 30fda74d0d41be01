file { '/w/a': content => 'a' }
file { 'relative': content => 'b' }
