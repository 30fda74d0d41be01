# differs: resources: Puppet does not report its own containers
# differs: log: Puppet does not report its own containers

file { '/w/a': content => 'a' } ~> whit { 'between': } ~> exec { '/bin/echo told': refreshonly => true }
