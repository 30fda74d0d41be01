file { '/w/a': content => 'a' }
group { 'team': gid => 'x' }
