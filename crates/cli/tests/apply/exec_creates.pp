exec { '/bin/touch /w/made': creates => '/w/made' }
exec { 'two': command => '/bin/touch /w/x', creates => ['/w/made', '/w/other'] }
