# setup: useradd -u 4001 -m ada
user { 'ada': ensure => absent }
user { 'nobody-here': ensure => absent }
