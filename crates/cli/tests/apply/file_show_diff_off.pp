# setup: echo old >/w/a
file { '/w/a': content => 'new', show_diff => false }
