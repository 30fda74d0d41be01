file { '/w/a': content => 'x', owner => 'nobody-knows' }
file { '/w/b': content => 'x', group => 'nobody-knows' }
