# setup: groupadd -g 4000 old
group { 'sys': ensure => present, system => true }
group { 'dup': ensure => present, gid => 4000, allowdupe => true }
group { 'taken': ensure => present, gid => 4000 }
