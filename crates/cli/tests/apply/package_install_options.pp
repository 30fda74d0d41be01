# setup: sh /.program/modules/packages/files/repository fish=2.1
package { 'fish': ensure => present, install_options => ['--no-install-recommends', { '-o' => 'APT::Get::Show-Upgraded=true' }] }
