package { 'peer-alpha': ensure => '9.9', provider => dnf }
