# setup: dnf -q -y install peer-alpha-1.0
package { 'peer-alpha': ensure => '1.5-1', provider => dnf }
