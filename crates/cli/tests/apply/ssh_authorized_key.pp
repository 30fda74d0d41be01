# setup: useradd -m keys; mkdir -p ~keys/.ssh; chown keys: ~keys/.ssh; chmod 700 ~keys/.ssh; printf 'ssh-rsa AAAA old\nno-pty ssh-rsa BBBB changed\n# kept\nssh-rsa CCCC gone\n' > ~keys/.ssh/authorized_keys; chown keys: ~keys/.ssh/authorized_keys; chmod 600 ~keys/.ssh/authorized_keys
ssh_authorized_key { 'changed': user => 'keys', type => 'ssh-rsa', key => 'DDDD' }
ssh_authorized_key { 'gone': ensure => absent, user => 'keys' }
ssh_authorized_key { 'new': user => 'keys', type => 'ed25519', key => 'EEEE', options => ['no-pty', 'from="a,b"'] }
