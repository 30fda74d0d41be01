service { 'peer-nosuch': ensure => stopped }
