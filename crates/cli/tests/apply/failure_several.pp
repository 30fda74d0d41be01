# differs: log: one of the dependencies that failed is named
exec { 'f1': command => '/bin/false' }
exec { 'f2': command => '/bin/false' }
exec { '/bin/echo x >> /w/log': require => [Exec['f2'], Exec['f1']] }
file { '/w/a': content => 'x', require => Exec['/bin/echo x >> /w/log'] }
