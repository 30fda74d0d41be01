# setup: mkdir -p /etc/ssh; printf '# ours\na,10.0.0.1 ssh-rsa AAAA\nb ssh-rsa BBBB\n' > /etc/ssh/ssh_known_hosts
sshkey { 'a@ssh-rsa': key => 'CCCC', host_aliases => ['10.0.0.1', 'a.example'] }
sshkey { 'b@ssh-rsa': ensure => absent }
sshkey { 'new@ssh-ed25519': ensure => present, key => 'DDDD' }
sshkey { 'elsewhere@ssh-rsa': key => 'EEEE', target => '/srv/known' }
