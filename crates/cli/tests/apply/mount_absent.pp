# setup: mkdir /srv/m; printf 'tmpfs\t/srv/m\ttmpfs\tsize=64k\t0\t0\n' >/etc/fstab; mount /srv/m
mount { '/srv/m': ensure => absent }
