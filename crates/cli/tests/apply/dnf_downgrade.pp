# setup: sh /.program/modules/packages/files/rpms fish=2.1 fish=2.2
# setup: dnf -qy install fish >/dev/null 2>&1
# between: rpm -qa | sort >/w/installed
package { 'fish': ensure => '2.1-1', provider => dnf }
