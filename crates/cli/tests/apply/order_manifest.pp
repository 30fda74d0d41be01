exec { '/bin/echo b >> /w/log': }
exec { '/bin/echo a >> /w/log': }
exec { '/bin/echo c >> /w/log': }
