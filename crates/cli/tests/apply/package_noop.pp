# differs: exit: what would be changed is told by the exit code
# options: --noop
# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish': ensure => present }
