# options: --tags a,second
class second { file { '/w/in_class': content => 'x' } }
include second
file { '/w/a': content => 'x', tag => 'a' }
file { '/w/b': content => 'x', tag => ['b', 'a'] }
file { '/w/c': content => 'x', tag => 'c' }
exec { '/bin/echo x >> /w/log': subscribe => File['/w/a'], refreshonly => true }
