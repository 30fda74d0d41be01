file { '/w/d': source => 'puppet:///modules/peer/tree' }
file { '/w/e': ensure => present, source => 'puppet:///modules/peer/tree' }
