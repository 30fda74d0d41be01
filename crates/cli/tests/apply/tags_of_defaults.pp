# options: --tags chosen
file { '/w/a': content => 'a', tag => 'chosen' }
file { '/w/b': content => 'b' }
class chosen { file { '/w/c': content => 'c' } }
include chosen
