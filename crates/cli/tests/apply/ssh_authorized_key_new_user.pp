# differs: log: Puppet says "created" before it fails
user { 'fresh': ensure => present, managehome => true }
ssh_authorized_key { 'first': user => 'fresh', type => 'ssh-rsa', key => 'AAAA' }
ssh_authorized_key { 'nobody': user => 'no-such-user', type => 'ssh-rsa', key => 'AAAA' }
