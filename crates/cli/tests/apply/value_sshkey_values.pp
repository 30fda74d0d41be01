# modules: installed
# differs: resources: Puppet reports a key under its name and type
# differs: log: Puppet reports a key under its name and type
# setup: mkdir -p /etc/ssh; rm -f /etc/ssh/ssh_known_hosts
sshkey { 'a.example.org': type => 'rsa', key => 'AAAAB3Nz', host_aliases => ['a', '192.0.2.1'] }
sshkey { 'b.example.org@ssh-ed25519': key => 'AAAAC3Nz' }
sshkey { 'c.example.org': type => 'ed25519', key => 'AAAAC3Na', target => '/w/known' }
