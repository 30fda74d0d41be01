# differs: resources: properties come in the order of the fields
# differs: log: a schedule word that hides the minute is told of
# setup: printf '# Puppet Name: a\nA=1\n1 2 * * * /bin/a\n# Puppet Name: b\n@daily /bin/b\n# Puppet Name: c\n1 1 1 1 1 /bin/c\n' | crontab -u root -
cron { 'a': command => '/bin/a', minute => 1, hour => 2, environment => 'A=2' }
cron { 'b': command => '/bin/b', minute => 5 }
cron { 'c': command => '/bin/c', minute => 1, hour => absent, month => 1, monthday => absent, weekday => 'absent' }
