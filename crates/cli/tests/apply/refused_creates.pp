file { '/w/a': content => 'a' }
exec { '/bin/true': creates => 'relative' }
