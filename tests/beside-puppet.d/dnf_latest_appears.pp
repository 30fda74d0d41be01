# setup: dnf -q -y install peer-alpha
# between: sed -i 's/enabled=0/enabled=1/' /etc/yum.repos.d/peer.repo; dnf -q clean all
package { 'peer-alpha': ensure => latest, provider => dnf }
