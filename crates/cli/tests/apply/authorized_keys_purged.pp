# setup: useradd -m -u 4001 ada; mkdir -m 700 /home/ada/.ssh; printf 'ssh-rsa AAAA one\nssh-rsa BBBB two\n# note\n' >/home/ada/.ssh/authorized_keys; chown -R ada /home/ada/.ssh
user { 'ada': ensure => present, purge_ssh_keys => true }
ssh_authorized_key { 'one': user => ada, type => 'ssh-rsa', key => 'AAAA' }
