package { 'peer-alpha': ensure => installed, provider => dnf }
