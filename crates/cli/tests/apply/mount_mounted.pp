# setup: printf '# table\n' > /etc/fstab; mkdir /srv/m /srv/n; printf 'tmpfs\t/srv/n\ttmpfs\tsize=1m\t0\t0\n' >> /etc/fstab; mount /srv/n
mount { '/srv/m': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=64k,mode=0700' }
mount { '/srv/n': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=2m' }
file { '/srv/m/inside': content => "x\n" }
