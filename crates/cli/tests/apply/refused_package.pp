file { '/w/a': content => 'a' }
package { 'x': ensure => present, configfiles => maybe }
