# differs: log: a warning names what is not managed
# setup: sh /.program/modules/packages/files/rpms fish=2.1
# between: rpm -qa | sort >/w/installed
package { 'fish': ensure => present, provider => dnf, install_options => ['--setopt=install_weak_deps=False'], mark => hold, flavor => 'x' }
