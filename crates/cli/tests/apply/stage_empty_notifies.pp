stage { 'first': }
stage { 'middle': }
stage { 'last': }
Stage['first'] ~> Stage['middle'] ~> Stage['last'] -> Stage['main']
class one { file { '/w/a': content => 'a' } }
class two { exec { '/bin/echo two': refreshonly => true } }
class { 'one': stage => first }
class { 'two': stage => last }
