# differs: log: a warning names what is not managed
# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish': ensure => present, provider => dpkg, source => '/var/cache/repository/fish_2.1.deb', install_options => ['-x'], uninstall_options => ['-y'] }
