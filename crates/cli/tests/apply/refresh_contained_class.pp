class inner { file { '/w/a': content => "x\n" } }
class outer { contain inner }
include outer
exec { '/bin/echo outer >> /w/log': refreshonly => true, subscribe => Class['outer'] }
exec { '/bin/echo inner >> /w/log': refreshonly => true, subscribe => Class['inner'] }
