file { ['/a', '/b']: }
File['/a', '/b'] { mode => '0600' }
