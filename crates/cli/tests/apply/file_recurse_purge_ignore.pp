# setup: mkdir -p /w/d/e; touch /w/d/a.keep /w/d/b /w/d/e/c
file { '/w/d': ensure => directory, recurse => true, purge => true, ignore => '*.keep' , force => true, backup => false}
