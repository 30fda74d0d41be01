file { '/w/a': content => 'a' }
file { '/w/b': content => 'b' }
exec { '/bin/sh -c "echo x >> /w/log"': subscribe => [File['/w/a'], File['/w/b']] }
