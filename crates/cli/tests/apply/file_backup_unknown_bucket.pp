# setup: printf 'old\n' >/w/a
file { '/w/a': content => "new\n", backup => 'nowhere' }
