file { '/w/a': content => 'a' }
notify { 'x': loglevel => loud }
