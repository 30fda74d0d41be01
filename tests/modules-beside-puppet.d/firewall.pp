# query: iptables-save | grep -v '^#' | sed 's/\[[0-9:]*\]//'
firewallchain { 'WEB:filter:IPv4': ensure => present }
-> firewall { '100 web': proto => 'tcp', dport => [80, 443], action => accept, chain => 'WEB' }
-> firewall { '200 ssh': proto => 'tcp', dport => 22, source => '10.0.0.0/8', action => accept }
-> firewall { '999 drop': proto => all, action => drop, chain => 'FORWARD' }
