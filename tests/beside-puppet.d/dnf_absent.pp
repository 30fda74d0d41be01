# setup: dnf -q -y install peer-needs
package { 'peer-needs': ensure => absent, provider => dnf }
