# setup: printf '# table\n' >/etc/fstab
mount { '/srv/x/': ensure => present, device => '/dev/x', fstype => 'ext4', options => 'defaults', dump => 1, pass => '2', atboot => false }
mount { '/srv/y': ensure => present, device => 'host:/y', fstype => 'nfs', options => 'ro,noauto', atboot => true }
