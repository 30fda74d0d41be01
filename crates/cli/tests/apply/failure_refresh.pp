exec { '/bin/true': }
~> exec { '/bin/false': refreshonly => true }
-> exec { '/bin/echo x >> /w/log': }
