# options: --tags peer
include peer
file { '/w/b': content => 'x' }
