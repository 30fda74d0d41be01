file { '/w/a': content => 'a' }
package { 'fish': ensure => present, provider => 'nosuch' }
