# setup: sh /.program/modules/packages/files/rpms fish=2.1
# between: rpm -qa | sort >/w/installed
package { 'nosuch': ensure => present, provider => dnf }
package { 'fish': ensure => present, provider => dnf }
