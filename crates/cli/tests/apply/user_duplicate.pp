# setup: useradd -u 4001 first
user { 'second': ensure => present, uid => 4001, allowdupe => true }
user { 'third': ensure => present, uid => 4001 }
