# setup: sh /.program/modules/packages/files/rpms fish=2.1 fish=2.5 fish=3.0
# setup: dnf -qy install fish-2.1 >/dev/null 2>&1
# between: rpm -qa | sort >/w/installed
package { 'fish': ensure => '>2.1 <3.0', provider => dnf }
