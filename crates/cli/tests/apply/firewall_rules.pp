# Each attribute of a rule, once; the second run finds all rules in place.
# differs: log: the module announces its work with notices of its own
# needs: iptables-save iptables
# public: firewall
# network: own
# query: iptables-save | grep -v '^#' | sed 's/\[[0-9:]*\]//'
# query: ip6tables-save | grep -v '^#' | sed 's/\[[0-9:]*\]//'
Firewall { jump => 'accept' }
firewall { '001 ports': proto => 'tcp', dport => [80, '443', '8000-8010'], sport => 1024 }
firewall { '002 excluded ports': proto => 'udp', dport => ['! 53', '67'] }
firewall { '003 addresses': source => '10.1.2.3/8', destination => '! 192.0.2.1', proto => 'all' }
firewall { '004 interfaces': iniface => '! lo', proto => 'all' }
firewall { '005 state': state => ['RELATED', 'ESTABLISHED'], proto => 'all' }
firewall { '006 ctstate': ctstate => ['NEW', 'ESTABLISHED'], proto => 'all' }
firewall { '007 icmp': proto => 'icmp', icmp => 'echo-request' }
firewall { '008 limit': limit => '3/sec', burst => 7, proto => 'all' }
firewall { '009 ranges': src_range => '10.0.0.1-10.0.0.9', dst_range => '10.1.0.1-10.1.0.9', proto => 'all' }
firewall { '010 mac': mac_source => '00:11:22:aa:BB:cc', proto => 'all' }
firewall { '011 owner': chain => 'OUTPUT', uid => 'root', gid => 0, proto => 'all' }
firewall { '012 types': src_type => 'UNICAST', dst_type => ['LOCAL', '! MULTICAST'], proto => 'all' }
firewall { '013 marks': match_mark => '0x1', connmark => '! 2', proto => 'all' }
firewall { '014 recent': recent => 'update', rseconds => 60, rhitcount => 4, rname => 'SSH', rsource => true, proto => 'all' }
firewall { '015 hashlimit':
  hashlimit_name  => 'x',
  hashlimit_above => '16/sec',
  hashlimit_mode  => 'srcip,dstport',
  hashlimit_burst => 9,
}
firewall { '016 string': string => 'it is x', string_algo => 'bm', string_to => 65, proto => 'all' }
firewall { '017 statistic': stat_mode => 'nth', stat_every => 2, stat_packet => 0, proto => 'all' }
firewall { '018 chance': stat_mode => 'random', stat_probability => 0.25, proto => 'all' }
firewall { '019 length': length => '10:20', proto => 'all' }
firewall { '020 connlimit': connlimit_above => 5, connlimit_mask => 24, dport => 22 }
firewall { '021 pkttype': pkttype => 'multicast', proto => 'all' }
firewall { '022 flags': tcp_flags => 'FIN,SYN,RST,ACK SYN' }
firewall { '023 mss': mss => '100:200' }
firewall { '024 physdev': chain => 'FORWARD', physdev_in => 'eth0', physdev_is_bridged => true, proto => 'all' }
firewall { '025 policy': ipsec_dir => 'in', ipsec_policy => 'ipsec', proto => 'all' }
firewall { '026 socket': table => 'mangle', chain => 'PREROUTING', socket => true, proto => 'all' }
firewall { '027 u32': u32 => '0x4&0x1fff=0x0', proto => 'all' }
firewall { '028 times': time_start => '8:30', time_stop => '17:00', week_days => ['Mon', 'Fri'], proto => 'all' }
firewall { '029 log': jump => 'LOG', log_prefix => 'a b: ', log_level => 'debug', log_uid => true, proto => 'all' }
firewall { '030 reject': jump => 'reject', reject => 'icmp-host-prohibited', proto => 'all' }
firewall { '031 dnat': table => 'nat', chain => 'PREROUTING', jump => 'DNAT', todest => '10.0.0.1:80', dport => 80 }
firewall { '032 snat': table => 'nat', chain => 'POSTROUTING', jump => 'SNAT', tosource => '10.0.0.1', proto => 'all' }
firewall { '033 redirect': table => 'nat', chain => 'PREROUTING', jump => 'REDIRECT', toports => 8080, dport => 81 }
firewall { '034 masquerade':
  table        => 'nat',
  chain        => 'POSTROUTING',
  jump         => 'MASQUERADE',
  random_fully => true,
  proto        => 'all',
}
firewall { '035 mark': table => 'mangle', chain => 'PREROUTING', jump => 'MARK', set_mark => '5/0xff', proto => 'all' }
firewall { '036 dscp': table => 'mangle', chain => 'PREROUTING', jump => 'DSCP', set_dscp_class => 'af11', proto => 'all' }
firewall { '037 clamp':
  table             => 'mangle',
  chain             => 'FORWARD',
  jump              => 'TCPMSS',
  clamp_mss_to_pmtu => true,
  tcp_flags         => 'SYN,RST SYN',
}
firewall { '038 notrack': table => 'raw', chain => 'PREROUTING', jump => 'CT', notrack => true, proto => 'all' }
firewall { '039 zone': table => 'raw', chain => 'PREROUTING', jump => 'CT', zone => 5, proto => 'all' }
firewall { '040 nflog': jump => 'NFLOG', nflog_group => 3, nflog_prefix => 'x y', proto => 'all' }
firewall { '041 queue': jump => 'NFQUEUE', queue_num => 3, queue_bypass => true, proto => 'all' }
firewall { '042 gateway': table => 'mangle', chain => 'PREROUTING', jump => 'TEE', gateway => '10.0.0.1', proto => 'all' }
firewall { '043 netmap': table => 'nat', chain => 'PREROUTING', jump => 'NETMAP', to => '10.0.0.0/24', proto => 'all' }
firewall { '044 fragments': isfragment => true }
firewall { '045 cgroup': chain => 'OUTPUT', cgroup => '5', proto => 'all' }
firewall { '046 flags that are off': isfragment => false, socket => false }
firewall { '101 of IPv6': protocol => 'IPv6', source => 'FE80::1/64', proto => 'all' }
firewall { '102 icmp of IPv6': protocol => 'ip6tables', proto => 'ipv6-icmp', icmp => 'echo-request', hop_limit => 255 }
