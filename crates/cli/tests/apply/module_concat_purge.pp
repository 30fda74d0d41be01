# modules: installed
# setup: mkdir -p /w/conf /w/more; touch /w/conf/old /w/more/old
file { ['/w/conf', '/w/more']: ensure => directory, recurse => true, purge => true }
concat { '/w/conf/site': ensure => present }
concat::fragment { 'first': target => '/w/conf/site', content => "first\n" }
concat { 'by title': ensure => present, path => '/w/more/site' }
concat::fragment { 'second': target => 'by title', content => "second\n" }
