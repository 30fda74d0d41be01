File { mode => '0600', owner => 1 }
file { '/w/a': content => 'a' }
file { '/w/b': content => 'b', mode => '0644' }
