# setup: groupadd -g 4300 team
user { 'ada': ensure => present, uid => 4001, gid => 4300 }
user { 'bob': ensure => present, uid => '4002', gid => 'team' }
