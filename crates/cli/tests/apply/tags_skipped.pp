# options: --skip_tags a
file { '/w/a': content => 'x', tag => 'a' }
file { '/w/c': content => 'x', require => File['/w/a'] }
