# setup: mkdir /srv/peer; printf 'tmpfs\t/srv/peer\ttmpfs\tsize=1m\t0\t0\n' >>/etc/fstab; mount /srv/peer
mount { '/srv/peer': ensure => absent }
