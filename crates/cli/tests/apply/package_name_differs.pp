# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'the fish': name => 'fish', ensure => present }
