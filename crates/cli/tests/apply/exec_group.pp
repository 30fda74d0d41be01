exec { '/bin/sh -c "id -g > /tmp/out; cat /tmp/out"': group => 'mail', logoutput => true }
