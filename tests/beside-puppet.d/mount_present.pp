file { '/srv/peer': ensure => directory }
mount { '/srv/peer': ensure => present, device => 'tmpfs', fstype => 'tmpfs', options => 'noauto' }
