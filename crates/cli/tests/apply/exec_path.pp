exec { 'touch /w/a': path => ['/usr/bin', '/bin'] }
exec { 'touch /w/b': path => '/usr/bin:/bin' }
