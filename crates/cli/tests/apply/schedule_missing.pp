# differs: resources: schedules are not kept yet, and are errors
# differs: log: schedules are not kept yet, and are errors
file { '/w/a': content => 'x', schedule => 'nowhere' }
