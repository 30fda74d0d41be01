# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish': ensure => '>3' }
file { '/w/a': content => 'a' }
