# differs: resources: a catalog with a schedule that nobody declared is refused
# differs: log: a catalog with a schedule that nobody declared is refused
file { '/w/a': content => 'x', schedule => 'nowhere' }
