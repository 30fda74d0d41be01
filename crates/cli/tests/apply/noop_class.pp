class quiet { noop(true) file { '/w/a': content => "x\n" } exec { '/bin/echo a >> /w/log': } }
class loud { file { '/w/b': content => "x\n" } exec { '/bin/echo b >> /w/log': refreshonly => true } }
include loud
exec { '/bin/true': noop => true } ~> Class['loud']
