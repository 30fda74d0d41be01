# modules: installed
# setup: printf '# Puppet Name: a\n1 * * * * /bin/a\n# Puppet Name: b\n2 * * * * /bin/b\n3 * * * * /bin/mine\n' | crontab -u root -
cron { 'a': command => '/bin/a', minute => 1 }
resources { 'cron': purge => true }
