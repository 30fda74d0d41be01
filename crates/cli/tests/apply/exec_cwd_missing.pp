exec { '/bin/true': cwd => '/no/such/directory' }
