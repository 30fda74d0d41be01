# setup: printf '# table\nUUID=1\t/\text4\tdefaults\t0\t1\n/dev/x\t/x\text4\trw\t0\t2\n/dev/y\t/y\text4\trw\t0\t2\n' > /etc/fstab
mount { '/x': ensure => present, device => '/dev/x', fstype => 'ext4', options => 'ro', pass => 2 }
mount { '/y': ensure => absent }
mount { '/new/': ensure => unmounted, device => '/dev/n', fstype => 'xfs', options => 'noauto,nofail', dump => '1' }
mount { '/with blank': ensure => defined, device => '/dev/a b', fstype => 'vfat' }
