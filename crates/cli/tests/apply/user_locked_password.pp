user { 'ada': ensure => present, uid => 4001, password => '!' }
user { 'bob': ensure => present, uid => 4002, password => Sensitive('$6$x$y') }
