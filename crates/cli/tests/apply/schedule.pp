schedule { 'shut': period => never }
schedule { 'once': period => daily }
schedule { 'always': range => '0 - 23:59:59', weekday => ['Mon', 'Tuesday', 3, '4', 'Fri', 'Sat', 'Sun'] }
file { '/srv/shut': content => "x\n", schedule => 'shut' }
exec { '/bin/echo once': schedule => 'once' }
exec { '/bin/echo hourly': schedule => 'hourly' }
exec { '/bin/echo always': schedule => 'always' }
file { '/srv/after': content => "x\n", require => File['/srv/shut'] }
