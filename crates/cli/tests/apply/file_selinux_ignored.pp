file { '/w/a': content => 'x', seltype => 'etc_t', seluser => 'system_u' }
