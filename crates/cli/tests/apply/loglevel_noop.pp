file { '/w/a': content => 'a', noop => true, loglevel => crit }
