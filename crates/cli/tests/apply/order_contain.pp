class inner { exec { '/bin/echo inner >> /w/log': } }
class loose { exec { '/bin/echo loose >> /w/log': } }
class outer { contain inner include loose exec { '/bin/echo outer >> /w/log': } }
include outer
exec { '/bin/echo before >> /w/log': before => Class['outer'] }
exec { '/bin/echo after >> /w/log': require => Class['outer'] }
