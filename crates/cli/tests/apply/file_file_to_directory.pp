# setup: echo x >/w/d
file { '/w/d': ensure => directory, force => true, backup => false }
