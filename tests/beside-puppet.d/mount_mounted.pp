file { '/srv/peer': ensure => directory }
mount { '/srv/peer': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=64k,mode=0700', require => File['/srv/peer'] }
