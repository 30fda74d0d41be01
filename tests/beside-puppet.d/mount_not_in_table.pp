# setup: mkdir /srv/peer; mount -t tmpfs -o size=1m tmpfs /srv/peer
mount { '/srv/peer': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=1m' }
