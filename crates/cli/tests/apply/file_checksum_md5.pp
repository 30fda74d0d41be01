file { '/w/b': content => 'b', checksum => md5 }
