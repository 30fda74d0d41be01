# The first relation that is written counts.
exec { '/bin/true': subscribe => File['/tmp/y'], before => File['/tmp/a'], require => File['/tmp/b'] }
