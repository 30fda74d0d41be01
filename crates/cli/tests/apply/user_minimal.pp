user { 'ada': }
user { 'bob': ensure => present }
