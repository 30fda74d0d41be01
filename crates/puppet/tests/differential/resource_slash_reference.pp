# A reference to a file may end in a slash.
file { '/srv/a': require => File['/srv/b/'] }
file { '/srv/b': before => File['/srv/c/'] }
file { '/srv/c': notify => [File['/srv/d/'], Notify['n']] }
file { '/srv/d': }
notify { 'n': subscribe => File['/srv/d/'] }
