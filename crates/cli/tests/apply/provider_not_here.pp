# differs: log: Puppet waits for the provider until the end

package { 'fish': ensure => present, provider => yum }
file { '/w/a': content => 'a' }
file { '/w/b': content => 'b', require => Package['fish'] }
