# setup: mkdir /w/d; touch /w/d/x
file { '/w/d': ensure => link, target => '/w/e', force => true, backup => false }
