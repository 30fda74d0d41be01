# setup: sh /.program/modules/packages/files/rpms fish=2.1 cat=1.0
# between: rpm -qa | sort >/w/installed
package { ['fish', 'cat']: ensure => installed, provider => dnf }
