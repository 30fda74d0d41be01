file { '/w/a': content => 'x', mode => '644' }
file { '/w/b': content => String(5), mode => 'a=r' }
