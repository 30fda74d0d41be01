# setup: useradd -m -u 4001 ada
ssh_authorized_key { 'k': user => ada, type => 'ssh-rsa', key => 'AAAA', target => '/home/ada/.ssh/other' }
