# setup: mkdir /srv/peer /srv/other; touch /srv/other/x
mount { '/srv/peer': ensure => mounted, device => '/srv/other', fstype => 'none', options => 'bind' }
file { '/srv/peer/y': content => 'y' }
