cron { 'simple': command => '/bin/true', minute => 5, hour => 3 }
cron { 'every': command => '/bin/every' }
cron { 'lists': command => '/bin/lists', minute => [0, 30], hour => '2-4', weekday => ['Monday', 'fri'], month => 'Jan', monthday => '*/2' }
cron { 'special': command => '/bin/special', special => 'reboot' }
cron { 'environment': command => '/bin/env', environment => ['MAILTO=ops@example.org', 'PATH=/bin'], minute => '*/5' }
cron { 'absent': ensure => absent }
