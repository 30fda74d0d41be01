exec { '/bin/echo 1 >> /w/log': require => Exec['/bin/echo 3 >> /w/log'] }
exec { '/bin/echo 2 >> /w/log': }
exec { '/bin/echo 3 >> /w/log': }
exec { '/bin/echo 4 >> /w/log': before => Exec['/bin/echo 2 >> /w/log'] }
