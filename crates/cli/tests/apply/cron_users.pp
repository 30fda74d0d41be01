# differs: log: Puppet writes crontabs later, and finds out then that there is no such user
# setup: useradd -u 4100 ada
cron { 'by user': command => '/bin/true', user => 'ada', minute => 1 }
cron { 'by target': command => '/bin/true', target => 'daemon', minute => 2 }
cron { 'unknown': command => '/bin/true', user => 'nobody-knows' }
