//! Writing a rule as arguments of iptables.

use std::collections::{BTreeMap, BTreeSet};

use super::options::{OPTIONS, Of, RuleOption, Shape};
use super::rule::Texts;
use super::tables::Protocol;
use super::values::{negation, written};
use crate::kind::KindError;
use crate::kind::params::Params;

/// The arguments after chain and position.
///
/// # Errors
/// When a value is not valid.
pub(super) fn words(
    wanted: &BTreeMap<&'static str, Texts>,
    is_ipv6: bool,
) -> Result<Vec<String>, KindError> {
    let mut writer = Writer::default();
    for row in OPTIONS {
        let Some(texts) = wanted.get(row.name) else { continue };
        let texts = written(row.name, texts, is_ipv6)?;
        if !texts.is_empty() {
            writer.add(row, &texts, is_ipv6);
        }
    }
    Ok(writer.words)
}

#[derive(Default)]
struct Writer {
    words: Vec<String>,
    /// The matches that are loaded.
    matches: BTreeSet<&'static str>,
}

impl Writer {
    fn push(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(|word| (*word).to_string()));
    }

    /// Loads a match, unless it is loaded.
    fn load(&mut self, name: &'static str) {
        if self.matches.insert(name) {
            self.push(&["-m", name]);
            if name == "frag" {
                self.push(&["--fragid", "0"]);
            }
        }
    }

    /// An option with a value; an excluded value has the exclamation mark before the option.
    fn option(&mut self, option: &str, text: &str) {
        let (negated, plain) = negation(text);
        if negated {
            self.push(&["!"]);
        }
        self.push(&[option, plain]);
    }

    fn add(&mut self, row: &RuleOption, texts: &[String], is_ipv6: bool) {
        let is_true = texts.iter().any(|text| text == "true");
        let is_flag = matches!(row.shape, Shape::Flag | Shape::Module);
        if is_flag && !is_true {
            return;
        }
        let own_match = matches!(row.shape, Shape::Each | Shape::Recent);
        if let Of::Match(name) = row.of {
            if !own_match {
                self.load(name);
            } else if row.shape == Shape::Recent {
                self.matches.insert(name);
            }
        }
        let first = texts.first().map_or("", String::as_str);
        match row.shape {
            Shape::Flag => self.push(&[row.option]),
            Shape::Module => {}
            Shape::Plain => self.push(&[row.option, first]),
            Shape::Negatable => self.option(row.option, first),
            Shape::Joined => self.option(row.option, &texts.join(",")),
            Shape::Ports if texts.len() == 1 => self.option(row.option, first),
            Shape::Ports => {
                self.push(&["-m", "multiport"]);
                self.option(&format!("{}s", row.option), &texts.join(","));
            }
            Shape::Each => self.each(row, texts),
            Shape::Icmp => {
                let names =
                    if is_ipv6 { ["icmp6", "--icmpv6-type"] } else { ["icmp", "--icmp-type"] };
                self.push(&["-m", names[0]]);
                self.option(names[1], first);
            }
            Shape::Recent => {
                let (negated, plain) = negation(first);
                self.push(&["-m", "recent"]);
                if negated {
                    self.push(&["!"]);
                }
                self.words.push(format!("--{plain}"));
            }
            Shape::Words => self.words.extend(texts.iter().map(|text| format!("--{text}"))),
            Shape::Flags => {
                let (negated, plain) = negation(first);
                if negated {
                    self.push(&["!"]);
                }
                self.push(&[row.option]);
                self.words.extend(plain.split_whitespace().map(str::to_string));
            }
        }
    }

    /// A match for each value.
    fn each(&mut self, row: &RuleOption, texts: &[String]) {
        let Of::Match(name) = row.of else { return };
        for text in texts {
            let (negated, plain) = negation(text);
            self.push(&["-m", name]);
            if negated {
                self.push(&["!"]);
            }
            self.push(&[row.option]);
            self.words.extend(plain.split_whitespace().map(str::to_string));
        }
    }
}

/// Attributes of which one needs a value of another.
const NEEDED: [(&str, &str, &str); 4] = [
    ("isfragment", "proto", "tcp"),
    ("stat_every", "stat_mode", "nth"),
    ("stat_packet", "stat_mode", "nth"),
    ("stat_probability", "stat_mode", "random"),
];

/// Attributes of IPv4 alone.
const IPV4_ONLY: [&str; 6] = [
    "clusterip_new",
    "clusterip_hashmode",
    "clusterip_clustermac",
    "clusterip_total_nodes",
    "clusterip_local_node",
    "clusterip_hash_init",
];

/// Attributes of IPv6 alone.
const IPV6_ONLY: [&str; 4] = ["hop_limit", "ishasmorefrags", "islastfrag", "isfirstfrag"];

/// Checks attributes together, and the forms of their values.
pub(super) fn check(
    p: &mut Params<'_>,
    wanted: &BTreeMap<&'static str, Texts>,
    protocol: Protocol,
) {
    let is_set = |name: &str| wanted.get(name).is_some_and(|texts| texts != &["false"]);
    for (name, other, value) in NEEDED {
        let has = wanted.get(other).is_some_and(|texts| texts == &[value]);
        if is_set(name) && !has {
            p.error(name, format!("`{other}` must be set to `{value}` for `{name}` to be set."));
        }
    }
    let foreign = if protocol == Protocol::Ipv4 { &IPV6_ONLY[..] } else { &IPV4_ONLY[..] };
    for name in foreign.iter().filter(|name| is_set(name)) {
        let other = if protocol == Protocol::Ipv4 { "IPv6" } else { "IPv4" };
        p.error(name, format!("Parameter `{name}` is specific to the `{other}` protocol"));
    }
    for name in ["dport", "sport", "state", "ctstate", "ctstatus"] {
        let Some(texts) = wanted.get(name) else { continue };
        let count = texts.iter().filter(|text| negation(text).0).count();
        let first = texts.first().is_some_and(|text| negation(text).0);
        if count > 0 && !(count == texts.len() || (count == 1 && first)) {
            let text = format!(
                "When negating a `{name}` array, you must negate either the first given value only \
                 or all the given values."
            );
            p.error(name, text);
        }
    }
    let has_rate = is_set("hashlimit_upto") || is_set("hashlimit_above");
    for name in wanted.keys().filter(|name| name.starts_with("hashlimit_")) {
        if !is_set("hashlimit_name") || !has_rate {
            let text = "Parameter `hashlimit_name` and either `hashlimit_upto` or \
                        `hashlimit_above` are required when setting any `hashlimit` attribute.";
            p.error(name, text);
        }
    }
    if is_set("hashlimit_upto") && is_set("hashlimit_above") {
        let text = "`hashlimit_upto` and `hashlimit_above` are mutually exclusive, only one may be \
                    set at a time.";
        p.error("hashlimit_above", text);
    }
    check_forms(p, wanted, protocol);
}

fn check_forms(p: &mut Params<'_>, wanted: &BTreeMap<&'static str, Texts>, protocol: Protocol) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    for (&name, texts) in wanted {
        let is_valid: &dyn Fn(&str) -> bool = match name {
            "sport" | "dport" => &|text| text.split([':', '-']).all(is_number),
            "stat_every" | "stat_packet" | "burst" | "rseconds" | "rhitcount" | "string_from"
            | "string_to" | "queue_num" | "nflog_group" | "nflog_range" | "nflog_size"
            | "nflog_threshold" | "set_mss" | "connlimit_upto" | "connlimit_above"
            | "connlimit_mask" | "zone" | "tcp_option" | "ctproto" | "hop_limit" => &is_number,
            "iniface" | "outiface" | "physdev_in" | "physdev_out" => {
                &|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "-._+:@".contains(c))
            }
            "src_range" | "dst_range" => &|text| {
                let ends = text.split_once('-');
                let is_address = |text: &str| text.parse::<std::net::IpAddr>().is_ok();
                ends.is_some_and(|(first, last)| is_address(first) && is_address(last))
            },
            "nflog_prefix" => &|text| text.len() <= 64,
            // A host that has a name is looked up later.
            "source" | "destination" if texts.iter().any(|text| is_host_name(text)) => continue,
            _ => {
                if let Err(error) = written(name, texts, protocol == Protocol::Ipv6) {
                    p.error(name, error.to_string());
                }
                continue;
            }
        };
        let wrong = texts.iter().find(|text| !is_valid(negation(text).1));
        if let Some(wrong) = wrong {
            p.error(name, format!("'{wrong}' is no value of {name}"));
        }
    }
}

/// Whether a text with an address is the name of a host.
fn is_host_name(text: &str) -> bool {
    let address = negation(text).1.split('/').next().unwrap_or_default();
    address.parse::<std::net::IpAddr>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pairs: &[(&'static str, &[&str])], is_ipv6: bool) -> String {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_string()).collect();
        let wanted = pairs.iter().map(|(name, all)| (*name, texts(all))).collect();
        words(&wanted, is_ipv6).map_or_else(|e| e.to_string(), |words| words.join(" "))
    }

    #[test]
    fn options_stand_in_the_order_of_iptables() {
        let pairs: &[(&str, &[&str])] = &[
            ("jump", &["accept"]),
            ("name", &["100 a b"]),
            ("dport", &["! 80", "443"]),
            ("proto", &["tcp"]),
            ("source", &["! 10.0.0.1"]),
            ("ctstate", &["NEW", "RELATED"]),
            ("ctproto", &["6"]),
            ("socket", &["true"]),
            ("isfragment", &["false"]),
        ];
        let wanted = "! -s 10.0.0.1/32 -p tcp -m multiport ! --dports 80,443 -m socket -m conntrack \
                      --ctstate NEW,RELATED --ctproto 6 -j ACCEPT -m comment --comment 100 a b";
        assert_eq!(line(pairs, false), wanted);
        let pairs: &[(&str, &[&str])] = &[
            ("icmp", &["echo-request"]),
            ("recent", &["! update"]),
            ("rseconds", &["60"]),
            ("match_mark", &["0x1"]),
            ("ipset", &["a src", "! b dst"]),
            ("tcp_flags", &["SYN,ACK SYN"]),
        ];
        let wanted = "-m tcp --tcp-flags SYN,ACK SYN -m icmp6 --icmpv6-type 128 -m recent ! --update \
                      --seconds 60 -m set --match-set a src -m set ! --match-set b dst -m mark \
                      --mark 0x1/0xffffffff";
        assert_eq!(line(pairs, true), wanted);
    }
}
