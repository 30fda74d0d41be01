# between: rpm -e peer-alpha
package { 'peer-alpha': ensure => installed, provider => dnf }
