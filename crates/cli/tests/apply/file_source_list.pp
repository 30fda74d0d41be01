file { '/w/a': source => ['/w/none', '/.program/modules/peer/files/plain', '/etc/hosts'] }
