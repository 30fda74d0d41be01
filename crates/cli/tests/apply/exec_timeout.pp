exec { '/bin/sleep 20': timeout => 1 }
