# differs: log: a warning names what is not managed
# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish':
  ensure => present, enable_only => true, flavor => 'x', package_settings => { 'a' => 'b' }, adminfile => '/x', install_only => true,
  command => '/usr/bin/x', status => 'x', instance => 'y', category => 'z', platform => 'p', root => 'r', vendor => 'v', description => 'd',
}
