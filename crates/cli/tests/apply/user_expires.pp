user { 'ada': ensure => present, uid => 4001, expiry => '2030-01-31' }
