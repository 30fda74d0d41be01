# differs: events: /^Sshkey/: Puppet reports a key under its name and type
# differs: files: /^# HEADER: /: the first line of a file is not about the program that wrote it
# differs: files: /^.etc.aliases f /: Puppet makes a table that only its owner can read
host { 'db.example.org': ip => '10.1.1.1', host_aliases => ['db'] }
cron { 'beat': command => '/bin/true', user => 'root', minute => '*/5', environment => ['A=1'] }
mailalias { 'ops': recipient => ['root', 'a@example.org'] }
sshkey { 'peer.example.org': ensure => present, type => 'ssh-ed25519', key => 'AAAAC3NzaC1lZDI1NTE5AAAAIB', target => '/etc/ssh_known' }
user { 'ops': ensure => present, uid => 4321, managehome => true, shell => '/bin/bash' }
ssh_authorized_key { 'ops@laptop': user => 'ops', type => 'ssh-ed25519', key => 'AAAAC3NzaC1lZDI1NTE5AAAAIC' }
