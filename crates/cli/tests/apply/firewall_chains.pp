# Chains, their policies, and the purge of their rules.
# differs: log: the module announces its work with notices of its own
# needs: iptables-save iptables
# public: firewall
# network: own
# setup: iptables -N OLD; iptables -A OLD -j ACCEPT; iptables -A FORWARD -s 10.0.0.1 -j ACCEPT
# setup: iptables -A INPUT -s 192.0.2.1/32 -j DROP; iptables -A INPUT -j LOG --log-prefix 'keep me'
# setup: iptables -A INPUT -m comment --comment '600 of nobody' -j DROP
# setup: iptables -A OUTPUT -m comment --comment '601 of nobody' -j DROP; iptables -A OUTPUT -d 10.0.0.1 -j DROP
# between: iptables -A INPUT -s 192.0.2.2/32 -j DROP; iptables -P FORWARD ACCEPT
# query: iptables-save | grep -v '^#' | sed 's/\[[0-9:]*\]//'
firewallchain { 'WEB:filter:IPv4': ensure => present }
-> firewall { '100 web': chain => 'WEB', dport => 80, jump => 'accept' }
-> firewall { '050 to web': jump => 'WEB' }
firewallchain { 'OLD:filter:IPv4': ensure => absent }
firewallchain { 'FORWARD:filter:IPv4': policy => 'drop' }
firewallchain { 'INPUT:filter:IPv4': purge => true, ignore => ['(?i:KEEP ME)'] }
firewallchain { 'OUTPUT:filter:IPv4': purge => true, ignore_foreign => true }
