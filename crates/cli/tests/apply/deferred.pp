# setup: printf 'of the machine' >/w/source
file { '/w/a': content => Deferred('upcase', ['text']), mode => Deferred('sprintf', ['0%s', '640']) }
file { '/w/b': content => Deferred('join', [[Deferred('file', ['/w/source']), 'b'], '-']) }
file { '/w/c': content => Deferred('inline_epp', ['<%= $x %> <%= $facts["kernel"] %>', { 'x' => Deferred('downcase', ['AB']) }]) }
file { '/w/secret': content => Deferred('new', [Sensitive, 'top secret']) }
file { '/w/hidden': content => Sensitive(Deferred('upcase', ['abc'])) }
file { '/w/bytes': content => Deferred('new', [Binary, 'AAEC/w==']) }
file { '/w/kernel': content => Deferred('$facts', ['kernel']) }
notify { 'family': message => Deferred('$facts', ['os', 'family']) }
exec { 'run': command => ['/bin/sh', '-c', Deferred('sprintf', ['touch /w/%s', 'made'])], creates => '/w/made' }
define pair(String $text) {
  file { "/w/${title}": content => $text }
}
pair { 'pair': text => Deferred('upcase', ['pair']) }
