# differs: log: keys are removed in another order
# setup: useradd -m keys; mkdir -p ~keys/.ssh; chown keys: ~keys/.ssh; chmod 700 ~keys/.ssh; printf 'ssh-rsa AAAA mine\nssh-rsa BBBB other\nssh-rsa CCCC\nssh-rsa DDDD\n' > ~keys/.ssh/authorized_keys; chown keys: ~keys/.ssh/authorized_keys; chmod 600 ~keys/.ssh/authorized_keys
user { 'keys': ensure => present, purge_ssh_keys => true }
ssh_authorized_key { 'mine': user => 'keys', type => 'ssh-rsa', key => 'AAAA' }
