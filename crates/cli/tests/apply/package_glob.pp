# differs: exit: Puppet installs again in each run
# differs: resources: Puppet installs again in each run
# differs: log: Puppet installs again in each run
# setup: sh /.program/modules/packages/files/repository fish=2.1 fish=2.2-1 fish=3.0
package { 'fish': ensure => '2.*' }
