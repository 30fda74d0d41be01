exec { '/bin/sh -c "echo a >> /w/log"': onlyif => ['/bin/true', '/bin/true'] }
exec { '/bin/sh -c "echo b >> /w/log"': onlyif => ['/bin/true', '/bin/false'] }
exec { '/bin/sh -c "echo c >> /w/log"': unless => ['/bin/false', '/bin/true'] }
