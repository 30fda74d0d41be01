# setup: dnf -q -y install peer-alpha-1.0
package { 'peer-alpha': ensure => latest, provider => dnf }
