service { 'peer-nosuch': ensure => running }
file { '/w/a': content => 'a', require => Service['peer-nosuch'] }
