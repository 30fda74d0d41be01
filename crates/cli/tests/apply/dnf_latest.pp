# setup: sh /.program/modules/packages/files/rpms fish=2.1 fish=2.2 cat=1
# setup: dnf -qy install fish-2.1 >/dev/null 2>&1
# between: rpm -qa | sort >/w/installed
package { ['fish', 'cat']: ensure => latest, provider => dnf }
