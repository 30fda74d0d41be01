class inner { file { '/w/a': content => "x\n" } }
class outer { include inner }
include outer
exec { '/bin/echo outer >> /w/log': refreshonly => true, subscribe => Class['outer'] }
