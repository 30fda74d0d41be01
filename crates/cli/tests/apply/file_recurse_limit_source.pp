file { '/w/d': ensure => directory, recurse => true, recurselimit => 1, source => '/.program/modules/peer/files/tree' }
