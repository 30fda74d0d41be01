# setup: printf '1 2 * * * /bin/mine\n' | crontab -u root -
cron { 'mine': command => '/bin/mine', minute => 1, hour => 2 }
