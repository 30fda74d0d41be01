# options: --no-preprocess_deferred
# differs: log: a resource fails there, not the whole run
# differs: resources: a resource fails there, not the whole run
# differs: files: what does not depend on it is applied
file { '/w/a': content => Deferred('file', ['/w/missing']) }
file { '/w/after': content => 'x', require => File['/w/a'] }
file { '/w/other': content => 'x' }
