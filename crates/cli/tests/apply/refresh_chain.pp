file { '/w/a': content => "x\n" }
~> exec { '/bin/echo 1 >> /w/log': refreshonly => true }
~> exec { '/bin/echo 2 >> /w/log': refreshonly => true }
-> exec { '/bin/echo 3 >> /w/log': refreshonly => true }
