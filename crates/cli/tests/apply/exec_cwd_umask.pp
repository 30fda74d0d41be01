exec { '/bin/sh -c "pwd > out; umask >> out"': cwd => '/w', umask => '027' }
