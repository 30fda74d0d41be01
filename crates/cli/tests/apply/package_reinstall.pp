# setup: sh /.program/modules/packages/files/repository fish=2.1
# setup: apt-get -qqy install fish >/dev/null
package { 'fish': ensure => present, reinstall_on_refresh => true }
exec { '/bin/true': } ~> Package['fish']
