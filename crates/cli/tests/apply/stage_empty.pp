stage { 'setup': before => Stage['main'] }
file { '/w/a': content => 'a' }
