# setup: echo old >/w/a
file { '/w/a': content => 'new', backup => '.orig' }
