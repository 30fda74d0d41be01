# setup: sh /.program/modules/packages/files/rpms fish=2.1 fish=2.2 cat=1:1.0
# between: rpm -qa | sort >/w/installed
package { 'fish': ensure => '2.1-1', provider => dnf }
package { 'cat': ensure => '1:1.0-1', provider => dnf }
