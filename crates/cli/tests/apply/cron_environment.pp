cron { 'e': command => '/bin/e', environment => ['A=1', 'MAILTO=root'], minute => 5 }
