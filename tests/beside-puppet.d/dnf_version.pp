package { 'peer-alpha': ensure => '1.5', provider => dnf }
