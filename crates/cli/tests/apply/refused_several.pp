file { '/w/a': content => 'a' }
file { '/w/b': mode => 'u+q' }
file { '/w/c': ensure => sideways }
exec { '/bin/true': timeout => 'long' }
