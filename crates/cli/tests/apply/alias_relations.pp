exec { 'one': command => '/bin/echo 1 >> /w/log', alias => 'uno', require => Exec['due'] }
exec { 'two': command => '/bin/echo 2 >> /w/log', alias => 'due' }
