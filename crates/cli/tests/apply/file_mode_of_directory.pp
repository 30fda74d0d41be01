file { '/w/d': ensure => directory, mode => '0640' }
file { '/w/e': ensure => directory, mode => 'u=rwx,g=,o=' }
