schedule { 'always': range => '0:00 - 23:59' }
filebucket { 'mine': path => '/srv/bucket' }
notify { 'first': } -> Schedule['always'] -> Filebucket['mine'] -> file { '/w/a': content => 'a' }
