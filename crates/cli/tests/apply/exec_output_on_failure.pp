exec { '/bin/sh -c "echo told; exit 1"': }
file { '/w/a': content => 'a' }
