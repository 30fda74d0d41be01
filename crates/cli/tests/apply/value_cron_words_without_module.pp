cron { 'words': command => '/bin/a', user => root, month => 'January', weekday => ['Monday', 'fri'], hour => ['2-4', '*/6'], minute => '0' }
cron { 'numbers': command => '/bin/b', minute => [0, 30], monthday => '1', hour => 3 }
cron { 'special': command => '/bin/c', special => 'daily' }
