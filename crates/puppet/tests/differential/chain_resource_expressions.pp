file { '/a': } -> service { 's': } ~> exec { '/bin/true': refreshonly => true }
