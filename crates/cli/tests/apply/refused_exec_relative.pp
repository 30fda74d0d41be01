file { '/w/a': content => 'a' }
exec { 'true': }
