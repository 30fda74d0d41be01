file { '/w/a': content => 'a' }
file { '/w/b': contents => 'b' }
