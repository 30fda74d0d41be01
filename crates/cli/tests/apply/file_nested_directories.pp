file { ['/w/x', '/w/x/y', '/w/x/y/z']: ensure => directory }
file { '/w/x/y/z/f': content => 'f' }
