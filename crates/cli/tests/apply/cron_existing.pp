# setup: printf '# mine\nSHELL=/bin/sh\n1 2 * * * /bin/mine\n# Puppet Name: old\n3 4 * * * /bin/old\n# Puppet Name: gone\nMAILTO=x\n@daily /bin/gone\n# Puppet Name: kept\n9 9 * * * /bin/kept\n' | crontab -u root -
cron { 'old': command => '/bin/old', minute => 33, hour => 4 }
cron { 'gone': ensure => absent }
cron { 'new': command => '/bin/new', special => 'weekly' }
