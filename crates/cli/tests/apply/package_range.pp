# setup: sh /.program/modules/packages/files/repository fish=2.1 fish=2.2-1 fish=3.0 cat=1:1.0
package { 'fish': ensure => '>=2 <3' }
package { 'cat': ensure => '>1:0.5' }
