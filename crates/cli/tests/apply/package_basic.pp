# setup: sh /.program/modules/packages/files/repository fish=2.1 cat=1.0
package { ['fish', 'cat']: ensure => installed }
