file { '/w/d': ensure => file, source => 'puppet:///modules/peer/tree' }
