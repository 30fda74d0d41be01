file { '/w/a': content => 'a' } ~> anchor { 'between': } ~> exec { '/bin/echo told': refreshonly => true }
