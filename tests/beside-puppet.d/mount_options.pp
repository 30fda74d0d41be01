# setup: mkdir /srv/peer; printf 'tmpfs\t/srv/peer\ttmpfs\tsize=1m\t0\t0\n' >>/etc/fstab; mount /srv/peer
mount { '/srv/peer': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=2m', dump => 0, pass => 0 }
