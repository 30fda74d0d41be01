//! The attributes of a rule as options of iptables, in the order in which a rule is written: it is
//! also the order in which iptables prints them.

/// The part of a rule that an option belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Of {
    /// The rule itself, or its target.
    Rule,
    /// A match, which `-m` loads once.
    Match(&'static str),
    /// Only the target of this name: other parts have an option of the same name.
    Target(&'static str),
}

/// How the values of an attribute are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// The option alone.
    Flag,
    /// The option and a value.
    Plain,
    /// The same; `!` stands before the option of a value that is excluded.
    Negatable,
    /// One port or a range; several with the match `multiport`.
    Ports,
    /// A match with its option for each value.
    Each,
    /// All values with commas between them.
    Joined,
    /// A type of ICMP, in the match of the protocol.
    Icmp,
    /// The match `recent` with the value as its option.
    Recent,
    /// The match with each value as an option.
    Words,
    /// Two lists: the examined flags and those that are set.
    Flags,
    /// The match alone.
    Module,
}

/// An attribute of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RuleOption {
    /// The name of the attribute.
    pub(super) name: &'static str,
    /// The option.
    pub(super) option: &'static str,
    /// The part of the rule.
    pub(super) of: Of,
    /// The form of its values.
    pub(super) shape: Shape,
}

const fn row(name: &'static str, option: &'static str, of: Of, shape: Shape) -> RuleOption {
    RuleOption { name, option, of, shape }
}

/// All attributes.
pub(super) const OPTIONS: &[RuleOption] = &[
    row("source", "-s", Of::Rule, Shape::Negatable),
    row("destination", "-d", Of::Rule, Shape::Negatable),
    row("iniface", "-i", Of::Rule, Shape::Negatable),
    row("outiface", "-o", Of::Rule, Shape::Negatable),
    row("physdev_in", "--physdev-in", Of::Match("physdev"), Shape::Negatable),
    row("physdev_out", "--physdev-out", Of::Match("physdev"), Shape::Negatable),
    row("physdev_is_bridged", "--physdev-is-bridged", Of::Match("physdev"), Shape::Flag),
    row("physdev_is_in", "--physdev-is-in", Of::Match("physdev"), Shape::Flag),
    row("physdev_is_out", "--physdev-is-out", Of::Match("physdev"), Shape::Flag),
    row("proto", "-p", Of::Rule, Shape::Negatable),
    row("isfragment", "-f", Of::Rule, Shape::Flag),
    row("ishasmorefrags", "--fragmore", Of::Match("frag"), Shape::Flag),
    row("islastfrag", "--fraglast", Of::Match("frag"), Shape::Flag),
    row("isfirstfrag", "--fragfirst", Of::Match("frag"), Shape::Flag),
    row("stat_mode", "--mode", Of::Match("statistic"), Shape::Plain),
    row("stat_every", "--every", Of::Match("statistic"), Shape::Plain),
    row("stat_packet", "--packet", Of::Match("statistic"), Shape::Plain),
    row("stat_probability", "--probability", Of::Match("statistic"), Shape::Plain),
    row("src_range", "--src-range", Of::Match("iprange"), Shape::Negatable),
    row("dst_range", "--dst-range", Of::Match("iprange"), Shape::Negatable),
    row("tcp_option", "--tcp-option", Of::Match("tcp"), Shape::Negatable),
    row("tcp_flags", "--tcp-flags", Of::Match("tcp"), Shape::Flags),
    row("uid", "--uid-owner", Of::Match("owner"), Shape::Negatable),
    row("gid", "--gid-owner", Of::Match("owner"), Shape::Negatable),
    row("mac_source", "--mac-source", Of::Match("mac"), Shape::Negatable),
    row("sport", "--sport", Of::Rule, Shape::Ports),
    row("dport", "--dport", Of::Rule, Shape::Ports),
    row("src_type", "--src-type", Of::Match("addrtype"), Shape::Each),
    row("dst_type", "--dst-type", Of::Match("addrtype"), Shape::Each),
    row("socket", "--socket", Of::Match("socket"), Shape::Module),
    row("pkttype", "--pkt-type", Of::Match("pkttype"), Shape::Negatable),
    row("ipsec_dir", "--dir", Of::Match("policy"), Shape::Plain),
    row("ipsec_policy", "--pol", Of::Match("policy"), Shape::Plain),
    row("state", "--state", Of::Match("state"), Shape::Joined),
    row("ctstate", "--ctstate", Of::Match("conntrack"), Shape::Joined),
    row("ctproto", "--ctproto", Of::Match("conntrack"), Shape::Negatable),
    row("ctorigsrc", "--ctorigsrc", Of::Match("conntrack"), Shape::Negatable),
    row("ctorigdst", "--ctorigdst", Of::Match("conntrack"), Shape::Negatable),
    row("ctreplsrc", "--ctreplsrc", Of::Match("conntrack"), Shape::Negatable),
    row("ctrepldst", "--ctrepldst", Of::Match("conntrack"), Shape::Negatable),
    row("ctorigsrcport", "--ctorigsrcport", Of::Match("conntrack"), Shape::Negatable),
    row("ctorigdstport", "--ctorigdstport", Of::Match("conntrack"), Shape::Negatable),
    row("ctreplsrcport", "--ctreplsrcport", Of::Match("conntrack"), Shape::Negatable),
    row("ctrepldstport", "--ctrepldstport", Of::Match("conntrack"), Shape::Negatable),
    row("ctstatus", "--ctstatus", Of::Match("conntrack"), Shape::Joined),
    row("ctexpire", "--ctexpire", Of::Match("conntrack"), Shape::Negatable),
    row("ctdir", "--ctdir", Of::Match("conntrack"), Shape::Plain),
    row("hop_limit", "--hl-eq", Of::Match("hl"), Shape::Negatable),
    row("icmp", "--icmp", Of::Rule, Shape::Icmp),
    row("limit", "--limit", Of::Match("limit"), Shape::Plain),
    row("burst", "--limit-burst", Of::Match("limit"), Shape::Plain),
    row("length", "--length", Of::Match("length"), Shape::Plain),
    row("recent", "--recent", Of::Match("recent"), Shape::Recent),
    row("rseconds", "--seconds", Of::Match("recent"), Shape::Plain),
    row("reap", "--reap", Of::Match("recent"), Shape::Flag),
    row("rhitcount", "--hitcount", Of::Match("recent"), Shape::Plain),
    row("rttl", "--rttl", Of::Match("recent"), Shape::Flag),
    row("rname", "--name", Of::Match("recent"), Shape::Plain),
    row("mask", "--mask", Of::Match("recent"), Shape::Plain),
    row("rsource", "--rsource", Of::Match("recent"), Shape::Flag),
    row("rdest", "--rdest", Of::Match("recent"), Shape::Flag),
    row("ipset", "--match-set", Of::Match("set"), Shape::Each),
    row("string", "--string", Of::Match("string"), Shape::Negatable),
    row("string_hex", "--hex-string", Of::Match("string"), Shape::Negatable),
    row("string_algo", "--algo", Of::Match("string"), Shape::Plain),
    row("string_from", "--from", Of::Match("string"), Shape::Plain),
    row("string_to", "--to", Of::Match("string"), Shape::Plain),
    row("jump", "-j", Of::Rule, Shape::Plain),
    row("goto", "-g", Of::Rule, Shape::Plain),
    row("clusterip_new", "--new", Of::Rule, Shape::Flag),
    row("clusterip_hashmode", "--hashmode", Of::Rule, Shape::Plain),
    row("clusterip_clustermac", "--clustermac", Of::Rule, Shape::Plain),
    row("clusterip_total_nodes", "--total-nodes", Of::Rule, Shape::Plain),
    row("clusterip_local_node", "--local-node", Of::Rule, Shape::Plain),
    row("clusterip_hash_init", "--hash-init", Of::Rule, Shape::Plain),
    row("queue_num", "--queue-num", Of::Rule, Shape::Plain),
    row("queue_bypass", "--queue-bypass", Of::Rule, Shape::Flag),
    row("nflog_group", "--nflog-group", Of::Rule, Shape::Plain),
    row("nflog_prefix", "--nflog-prefix", Of::Rule, Shape::Negatable),
    row("nflog_range", "--nflog-range", Of::Rule, Shape::Plain),
    row("nflog_size", "--nflog-size", Of::Rule, Shape::Plain),
    row("nflog_threshold", "--nflog-threshold", Of::Rule, Shape::Plain),
    row("clamp_mss_to_pmtu", "--clamp-mss-to-pmtu", Of::Rule, Shape::Flag),
    row("gateway", "--gateway", Of::Rule, Shape::Plain),
    row("set_mss", "--set-mss", Of::Rule, Shape::Plain),
    row("set_dscp", "--set-dscp", Of::Rule, Shape::Plain),
    row("set_dscp_class", "--set-dscp-class", Of::Rule, Shape::Plain),
    row("todest", "--to-destination", Of::Rule, Shape::Plain),
    row("tosource", "--to-source", Of::Rule, Shape::Plain),
    row("toports", "--to-ports", Of::Rule, Shape::Plain),
    row("to", "--to", Of::Target("NETMAP"), Shape::Plain),
    row("checksum_fill", "--checksum-fill", Of::Rule, Shape::Flag),
    row("random_fully", "--random-fully", Of::Rule, Shape::Flag),
    row("random", "--random", Of::Rule, Shape::Flag),
    row("log_prefix", "--log-prefix", Of::Rule, Shape::Negatable),
    row("log_level", "--log-level", Of::Rule, Shape::Plain),
    row("log_uid", "--log-uid", Of::Rule, Shape::Flag),
    row("log_tcp_sequence", "--log-tcp-sequence", Of::Rule, Shape::Flag),
    row("log_tcp_options", "--log-tcp-options", Of::Rule, Shape::Flag),
    row("log_ip_options", "--log-ip-options", Of::Rule, Shape::Flag),
    row("reject", "--reject-with", Of::Rule, Shape::Plain),
    row("set_mark", "--set-xmark", Of::Rule, Shape::Plain),
    row("match_mark", "--mark", Of::Match("mark"), Shape::Each),
    row("restore_mark", "--restore-mark", Of::Rule, Shape::Flag),
    row("nfmask", "--nfmask", Of::Rule, Shape::Plain),
    row("ctmask", "--ctmask", Of::Rule, Shape::Plain),
    row("mss", "--mss", Of::Match("tcpmss"), Shape::Each),
    row("connlimit_upto", "--connlimit-upto", Of::Match("connlimit"), Shape::Plain),
    row("connlimit_above", "--connlimit-above", Of::Match("connlimit"), Shape::Plain),
    row("connlimit_mask", "--connlimit-mask", Of::Match("connlimit"), Shape::Plain),
    row("connmark", "--mark", Of::Match("connmark"), Shape::Each),
    row("time_start", "--timestart", Of::Match("time"), Shape::Plain),
    row("time_stop", "--timestop", Of::Match("time"), Shape::Plain),
    row("month_days", "--monthdays", Of::Match("time"), Shape::Joined),
    row("week_days", "--weekdays", Of::Match("time"), Shape::Joined),
    row("date_start", "--datestart", Of::Match("time"), Shape::Plain),
    row("date_stop", "--datestop", Of::Match("time"), Shape::Plain),
    row("time_contiguous", "--contiguous", Of::Match("time"), Shape::Flag),
    row("kernel_timezone", "--kerneltz", Of::Match("time"), Shape::Flag),
    row("u32", "--u32", Of::Match("u32"), Shape::Negatable),
    row("src_cc", "--source-country", Of::Match("geoip"), Shape::Plain),
    row("dst_cc", "--destination-country", Of::Match("geoip"), Shape::Plain),
    row("hashlimit_upto", "--hashlimit-upto", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_above", "--hashlimit-above", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_name", "--hashlimit-name", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_burst", "--hashlimit-burst", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_mode", "--hashlimit-mode", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_srcmask", "--hashlimit-srcmask", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_dstmask", "--hashlimit-dstmask", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_htable_size", "--hashlimit-htable-size", Of::Match("hashlimit"), Shape::Plain),
    row("hashlimit_htable_max", "--hashlimit-htable-max", Of::Match("hashlimit"), Shape::Plain),
    row(
        "hashlimit_htable_expire",
        "--hashlimit-htable-expire",
        Of::Match("hashlimit"),
        Shape::Plain,
    ),
    row(
        "hashlimit_htable_gcinterval",
        "--hashlimit-htable-gcinterval",
        Of::Match("hashlimit"),
        Shape::Plain,
    ),
    row("bytecode", "--bytecode", Of::Match("bpf"), Shape::Negatable),
    row("ipvs", "--ipvs", Of::Match("ipvs"), Shape::Flag),
    row("helper", "--helper", Of::Rule, Shape::Plain),
    row("zone", "--zone", Of::Rule, Shape::Plain),
    row("cgroup", "--cgroup", Of::Match("cgroup"), Shape::Negatable),
    row("rpfilter", "--rpfilter", Of::Match("rpfilter"), Shape::Words),
    row("condition", "--condition", Of::Match("condition"), Shape::Plain),
    row("name", "--comment", Of::Match("comment"), Shape::Negatable),
    row("notrack", "--notrack", Of::Rule, Shape::Flag),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_an_attribute() {
        let schema = &ordain_kinds::firewall::FIREWALL;
        let others = ["ensure", "line", "protocol", "table", "chain"];
        let missing = schema.attributes.iter().map(|attribute| attribute.name).filter(|name| {
            !others.contains(name) && !OPTIONS.iter().any(|option| option.name == *name)
        });
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(OPTIONS.iter().all(|option| schema.attribute(option.name).is_some()));
    }
}
