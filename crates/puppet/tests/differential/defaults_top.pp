File { mode => '0600' }
file { '/a': }
file { '/b': mode => '0644' }
