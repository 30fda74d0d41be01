# setup: useradd -u 4001 -m ada
user { 'ada': ensure => absent, managehome => true }
