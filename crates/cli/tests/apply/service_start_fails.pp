service { 'peer': ensure => running, provider => base, start => '/bin/false', status => '/bin/false' }
file { '/w/a': content => 'a', require => Service['peer'] }
