exec { '/bin/sh -c "echo run >> /w/log"': refresh => '/bin/sh -c "echo refreshed >> /w/log"', subscribe => File['/w/a'] }
file { '/w/a': content => 'a' }
