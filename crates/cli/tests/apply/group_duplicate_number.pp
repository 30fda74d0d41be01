# setup: groupadd -g 4300 team
group { 'same': ensure => present, gid => 4300, allowdupe => true }
group { 'clash': ensure => present, gid => 4300 }
