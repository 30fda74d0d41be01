# setup: dnf -q -y install peer-needs
package { 'peer-alpha': ensure => absent, provider => dnf }
