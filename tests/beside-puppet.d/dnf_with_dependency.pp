package { 'peer-needs': ensure => installed, provider => dnf }
package { 'peer-alpha': ensure => '1.0', provider => dnf, before => Package['peer-needs'] }
