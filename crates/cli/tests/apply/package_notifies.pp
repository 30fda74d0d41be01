# setup: sh /.program/modules/packages/files/repository fish=2.1 cat=1
# setup: apt-get -qqy install cat >/dev/null
package { ['fish', 'cat']: ensure => present, notify => Exec['told'] }
exec { 'told': command => '/bin/echo told', refreshonly => true }
