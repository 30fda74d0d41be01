service { 'nosuch-daemon': ensure => stopped, provider => base, hasstatus => false, pattern => 'nosuch-daemon-x' }
