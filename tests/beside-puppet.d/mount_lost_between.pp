# between: umount /srv/peer
file { '/srv/peer': ensure => directory }
mount { '/srv/peer': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=64k' }
