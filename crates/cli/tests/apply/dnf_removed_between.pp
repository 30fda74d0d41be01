# setup: sh /.program/modules/packages/files/rpms fish=2.1
# between: rpm -e fish
package { 'fish': ensure => present, provider => dnf }
