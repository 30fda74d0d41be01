file { ['/w/a', '/w/b', '/w/c']: content => "x\n", notify => Exec['count'] }
exec { 'count': command => '/bin/echo once >> /w/log', refreshonly => true }
