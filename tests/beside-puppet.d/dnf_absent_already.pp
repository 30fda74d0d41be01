package { 'peer-alpha': ensure => absent, provider => dnf }
