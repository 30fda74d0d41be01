# Files of fragments in every format and order.
# modules: installed
# setup: printf 'copied\n' >/w/source; printf 'x' >/w/second; printf 'old\n' >/w/kept; printf 'old\n' >/w/gone; printf 'old\n' >/w/backed
# setup: printf 'same\n' >/w/same; mkdir /w/sub; printf 'old\n' >/w/noop; printf '\000\377' >/w/binary
# between: printf 'damaged' >/w/numeric; chmod 0666 /w/alpha
concat_fragment { 'lost': target => 'nothing', content => 'x' }
concat_fragment { 'lost too': target => 'nothing', tag => 'none', content => 'x' }
user { 'daemon': ensure => present }
concat_file { '/w/numeric': }
concat_file { '/w/alpha': order => alpha, mode => '0640', owner => 'daemon', group => 1 }
[['a', '9'], ['b', 10], ['c', '1'], ['d', undef], ['e', '01'], ['f', '100'], ['g', '9'], ['1', '9']].each |$f| {
  concat_fragment { "numeric ${f[0]}": target => '/w/numeric', order => $f[1], content => "${f}\n" }
  concat_fragment { "alpha ${f[0]}": target => '/w/alpha', order => $f[1], content => "${f}\n" }
}
concat_file { 'by title': path => '/w/titled', ensure_newline => true }
concat_fragment { 'titled 1': target => 'by title', content => 'one' }
concat_fragment { 'titled 2': target => '/w/titled', content => "two\n" }
concat_fragment { 'titled 3': target => 'by title', content => "\n" }
concat_file { '/w/tagged': tag => 'mine' }
concat_fragment { 'tagged 1': tag => 'mine', content => "1\n" }
concat_fragment { 'tagged 2': tag => 'mine', target => 'nothing', content => "2\n", order => '2' }
concat_file { '/w/copied': }
concat_fragment { 'copied 1': target => '/w/copied', source => '/w/source' }
concat_fragment { 'copied 2': target => '/w/copied', source => ['/w/none', '/w/second'], order => 1 }
concat_fragment { 'copied 3': target => '/w/copied', source => 'file:///w/binary', order => 30 }
concat_file { '/w/sub/empty': }
concat_file { '/w/kept': replace => false }
concat_fragment { 'kept': target => '/w/kept', content => 'new' }
concat_file { '/w/gone': ensure => absent }
concat_fragment { 'gone': target => '/w/gone', content => 'new' }
concat_file { '/w/backed': backup => '.old' }
concat_fragment { 'backed': target => '/w/backed', content => "new\n" }
concat_file { '/w/same': mode => '0604' }
concat_fragment { 'same': target => '/w/same', content => "same\n" }
concat_file { '/w/valid': validate_cmd => '/bin/grep -q ok %' }
concat_fragment { 'valid': target => '/w/valid', content => "ok\n" }
concat_file { '/w/invalid': validate_cmd => '/bin/grep -q ok %' }
concat_fragment { 'invalid': target => '/w/invalid', content => "no\n" }
concat_file { '/w/noop': noop => true }
concat_fragment { 'noop': target => '/w/noop', content => "new\n" }
concat_file { '/w/notifies': } ~> exec { '/bin/echo made': refreshonly => true }
concat_fragment { 'notifies': target => '/w/notifies', content => "new\n" }
concat_file { '/w/dir/inner': }
concat_fragment { 'inner': target => '/w/dir/inner', content => "new\n" }
file { '/w/dir': ensure => directory }
concat_file { '/w/nowhere/inner': }
concat_fragment { 'nowhere': target => '/w/nowhere/inner', content => "new\n" }
