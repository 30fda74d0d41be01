# differs: exit: Puppet installs again in each run
# differs: resources: Puppet installs again in each run
# differs: log: Puppet installs again in each run
# setup: sh /.program/modules/packages/files/repository fish=2.1 fish=3.0 fish=3.1
# setup: apt-get -qqy install fish=2.1 >/dev/null
package { 'fish': ensure => '3.*' }
