# setup: dnf -q -y install peer-alpha
package { 'peer-alpha': ensure => '1.0-1', provider => dnf }
