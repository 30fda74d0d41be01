file { '/w/a/b/c': content => "x\n" }
file { '/w/a/b': ensure => directory }
file { '/w/a': ensure => directory }
