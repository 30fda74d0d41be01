exec { '/bin/sh -c "exit 3"': returns => [0, 3] }
exec { '/bin/sh -c "exit 4"': returns => 3 }
