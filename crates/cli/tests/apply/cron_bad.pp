cron { 'bad': command => '/bin/true', minute => 77 }
