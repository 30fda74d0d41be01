user { 'svc': ensure => present, system => true, home => '/nonexistent', shell => '/usr/sbin/nologin' }
