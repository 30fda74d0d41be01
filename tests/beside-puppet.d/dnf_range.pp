# setup: dnf -q -y install peer-alpha-1.0
package { 'peer-alpha': ensure => '>1.0 <2.0', provider => dnf }
