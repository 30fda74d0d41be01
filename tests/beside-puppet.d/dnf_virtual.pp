package { 'peer-thing': ensure => installed, provider => dnf }
