file { '/w/a': content => 'a' }
user { 'ada': ensure => role }
