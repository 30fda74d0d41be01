package { 'peer-beta': ensure => '1:1.0-1', provider => dnf }
