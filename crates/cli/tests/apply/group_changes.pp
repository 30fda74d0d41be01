# setup: groupadd -g 4300 team
group { 'team': gid => 4301 }
group { 'gone': ensure => absent }
group { 'new': ensure => present, gid => 4400 }
