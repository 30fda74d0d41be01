file { '/w/a': content => 'a' }
user { 'ada': expiry => 'tomorrow' }
