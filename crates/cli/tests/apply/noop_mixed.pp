file { '/w/a': content => 'a', noop => true }
file { '/w/b': content => 'b', require => File['/w/a'] }
exec { '/bin/echo x': noop => true }
