service { 'peer-nosuch': ensure => stopped, enable => false }
