file { '/w/a': content => 'a', mode => '4755' }
file { '/w/d': ensure => directory, mode => '1777' }
