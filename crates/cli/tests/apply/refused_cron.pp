file { '/w/a': content => 'a' }
cron { 'x': command => '/bin/true', hour => 25 }
