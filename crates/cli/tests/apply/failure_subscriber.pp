# differs: log: Puppet names the dependency that failed to the first that waits for it
exec { '/bin/false': }
~> exec { '/bin/echo x >> /w/log': refreshonly => true }
exec { '/bin/echo y >> /w/log': subscribe => Exec['/bin/false'] }
