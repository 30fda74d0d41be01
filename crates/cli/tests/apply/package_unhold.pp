# setup: sh /.program/modules/packages/files/repository fish=2.1
# setup: apt-get -qqy install fish >/dev/null
# setup: echo fish hold | dpkg --set-selections
package { 'fish': ensure => present, mark => none }
