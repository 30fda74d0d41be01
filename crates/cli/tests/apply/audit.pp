# setup: printf 'x' >/w/a
file { '/w/a': audit => ['content', 'mode'] }
