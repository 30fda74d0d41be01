exec { '/bin/false': }
exec { '/bin/echo dependent >> /w/log': require => Exec['/bin/false'] }
exec { '/bin/echo indirect >> /w/log': require => Exec['/bin/echo dependent >> /w/log'] }
exec { '/bin/echo free >> /w/log': }
