user { 'ada': ensure => present, uid => 4001, managehome => true, shell => '/bin/sh' }
file { '/home/ada/note': content => 'n', owner => 'ada' }
