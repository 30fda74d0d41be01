# setup: sh /.program/modules/packages/files/repository fish=2.1 cat=1.0
# setup: apt-get -qqy install fish >/dev/null
package { 'fish': ensure => absent }
package { 'cat': ensure => absent }
