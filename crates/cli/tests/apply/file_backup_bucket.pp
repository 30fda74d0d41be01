# setup: printf 'old\n' >/w/a; printf 'older\n' >/w/b; chmod 600 /w/b
filebucket { 'mine': path => '/w/bucket' }
file { '/w/a': content => "new\n", backup => 'mine' }
file { '/w/b': ensure => absent, backup => 'mine' }
