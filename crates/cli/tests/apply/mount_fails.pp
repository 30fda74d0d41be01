# differs: log: Puppet says that it mounted before it fails
# setup: printf '# table\n' >/etc/fstab
mount { '/srv/none': ensure => mounted, device => '/dev/none', fstype => 'ext4', options => 'ro' }
file { '/w/a': content => 'a', require => Mount['/srv/none'] }
