# setup: sh /.program/modules/packages/files/rpms fish=2.1
# setup: dnf -qy install fish >/dev/null 2>&1
# between: rpm -qa | sort >/w/installed
package { 'fish': ensure => purged, provider => dnf }
