# setup: sh /.program/modules/packages/files/rpms fish=2.1
package { 'fish': ensure => present, provider => dnf, noop => true }
