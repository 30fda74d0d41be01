# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish': ensure => present, provider => dpkg, source => '/var/cache/repository/fish_2.1.deb' }
