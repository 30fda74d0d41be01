cron { 'percent': command => '/bin/date +\%Y > /tmp/x', minute => 0 }
