# setup: useradd -u 4001 -m ada
cron { 'mine': command => '/bin/e', user => ada, special => reboot }
cron { 'other': command => '/bin/f', user => ada, hour => '*', minute => '*/10' }
