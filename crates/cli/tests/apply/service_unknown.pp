service { 'nosuch': ensure => stopped, provider => debian }
