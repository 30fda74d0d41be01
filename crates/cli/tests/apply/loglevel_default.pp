File { loglevel => warning }
file { '/w/a': content => 'a' }
file { '/w/b': content => 'b', loglevel => notice }
