file { '/w/c': content => 'c', require => Exec['b'] }
exec { 'a': command => '/bin/sh -c "echo a >> /w/log"', before => Exec['b'] }
exec { 'b': command => '/bin/sh -c "echo b >> /w/log"' }
