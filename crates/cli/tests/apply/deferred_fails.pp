file { '/w/first': content => 'x' }
file { '/w/a': content => Deferred('nosuch', ['text']) }
file { '/w/b': content => Deferred('upcase', []) }
