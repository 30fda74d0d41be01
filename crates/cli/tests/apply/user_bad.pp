user { 'ada': ensure => present, gid => 'no-such-group' }
user { 'bob': ensure => present, uid => 4001, groups => ['no-such-group'] }
