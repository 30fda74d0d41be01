# setup: sh /.program/modules/packages/files/repository fish=2.1 fish=2.2
# setup: apt-get -qqy install fish=2.1 >/dev/null
package { 'fish': ensure => latest, provider => dpkg, source => '/var/cache/repository/fish_2.2.deb' }
