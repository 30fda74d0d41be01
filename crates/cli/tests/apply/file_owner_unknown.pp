# differs: resources: a file of an unknown owner is not written
# differs: log: a file of an unknown owner is not written
# differs: files: a file of an unknown owner is not written
file { '/w/a': content => 'x', owner => 'nobody-knows' }
file { '/w/b': content => 'x', group => 'nobody-knows' }
