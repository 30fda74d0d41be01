# options: --noop
file { '/w/a': content => 'a' }
file { '/w/b': mode => '99' }
