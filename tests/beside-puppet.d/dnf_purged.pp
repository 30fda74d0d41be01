# setup: dnf -q -y install peer-alpha
package { 'peer-alpha': ensure => purged, provider => dnf }
