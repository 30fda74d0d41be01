File { mode => '0600' }
file { '/a': }
File['/a'] { mode => '0644' }
