# Rules among those of others: their order, changed ones, removed ones.
# differs: log: the module announces its work with notices of its own
# needs: iptables-save iptables
# public: firewall
# network: own
# setup: iptables -A INPUT -s 192.0.2.1/32 -j DROP
# setup: iptables -A INPUT -m comment --comment '300 changed' -p tcp --dport 1 -j ACCEPT
# setup: iptables -A INPUT -m comment --comment "it's hand made" -j DROP
# setup: iptables -A INPUT -m comment --comment '400 gone' -p udp -j ACCEPT
# between: iptables -D INPUT -p tcp -m tcp --dport 22 -m comment --comment '200 new' -j ACCEPT
# query: iptables-save | grep -v '^#' | sed 's/\[[0-9:]*\]//'
firewall { '500 last': proto => 'all', jump => 'drop' }
firewall { '300 changed': dport => 2, jump => 'accept' }
firewall { '200 new': dport => 22, jump => 'accept' }
firewall { '100 first': dport => 21, jump => 'accept' }
firewall { '999 after all': proto => 'all', jump => 'reject' }
firewall { '400 gone': ensure => absent }
firewall { '401 never there': ensure => absent }
firewall { '000 _first': dport => 20, jump => 'return' }
