# setup: sh /.program/modules/packages/files/repository fish=2.1
# between: dpkg --purge fish >/dev/null
package { 'fish': ensure => present }
