package { 'peer-thing': ensure => installed, provider => dnf, allow_virtual => false }
