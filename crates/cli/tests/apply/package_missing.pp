# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'nosuch': ensure => present }
file { '/w/a': content => 'a', require => Package['nosuch'] }
package { 'fish': ensure => present }
