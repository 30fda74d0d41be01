package { 'peer-alpha': ensure => '1.0', provider => yum }
