file { '/a': mode => undef, owner => 'root' }
