file { '/w/a': content => 'a', noop => true } ~> exec { '/bin/echo told': refreshonly => true }
