# modules: installed
# setup: useradd -m -u 4001 -s /bin/sh ada
ssh_authorized_key { 'ada@home': user => ada, type => 'rsa', key => 'AAAAB3Nz', options => ['no-pty', 'command="/bin/true"'] }
ssh_authorized_key { 'ada@work': user => ada, type => 'ed25519', key => 'AAAAC3Nz', options => 'no-agent-forwarding' }
ssh_authorized_key { 'old': ensure => absent, user => ada }
