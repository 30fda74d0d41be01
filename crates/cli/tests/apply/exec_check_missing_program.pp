exec { '/bin/true': onlyif => '/no/such/check' }
exec { '/bin/echo x': unless => '/no/such/check' }
