exec { '/bin/true': }
~> file { '/w/a': ensure => file }
~> exec { '/bin/echo x >> /w/log': refreshonly => true }
