user { 'ada': ensure => present, uid => 4100, gid => 'team', groups => ['crew'] }
group { 'team': ensure => present, gid => 4200 }
group { 'crew': ensure => present, gid => 4201 }
file { '/w/a': content => 'x', owner => 'ada', group => 'team' }
