# options: --no-preprocess_deferred
file { '/w/source': content => 'later' }
file { '/w/copy': content => Deferred('file', ['/w/source']), require => File['/w/source'] }
file { '/w/d': ensure => directory }
file { '/w/d/in': content => Deferred('upcase', [Deferred('downcase', ['aB'])]) }
notify { 'n': message => Deferred('upcase', ['x']), require => File['/w/copy'] }
