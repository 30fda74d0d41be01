schedule { 'always': range => '00:00 - 23:59', period => daily, repeat => 100 }
schedule { 'never2': period => never }
file { '/w/a': content => 'x', schedule => 'always' }
file { '/w/b': content => 'x', schedule => 'never2' }
file { '/w/c': content => 'x', schedule => 'never' }
file { '/w/d': content => 'x', schedule => 'hourly' }
