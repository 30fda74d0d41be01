# options: --tags file
file { '/w/a': content => 'x' }
exec { '/bin/echo x >> /w/log': }
