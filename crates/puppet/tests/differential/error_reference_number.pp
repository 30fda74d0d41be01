file { '/a': require => [undef, 1] }
