# setup: sh /.program/modules/packages/files/repository fish=2.1 fish=2.2-1 cat=1:1.0-2
package { 'fish': ensure => '2.1' }
package { 'cat': ensure => '1:1.0-2' }
