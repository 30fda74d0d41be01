file { '/w/a': content => 'a' }
service { 'x': ensure => going }
