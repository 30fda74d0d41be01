package { 'peer-nosuch': ensure => installed, provider => dnf }
