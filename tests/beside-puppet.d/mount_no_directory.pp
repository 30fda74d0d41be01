# differs: log: Puppet says that it mounted before it fails
mount { '/srv/peer': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=1m' }
