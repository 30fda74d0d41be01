exec { 'three': command => "/bin/sh -c 'echo one
echo two'", logoutput => true }
