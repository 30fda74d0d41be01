//! The forms of values: as rules are written, and as they are compared.

use std::net::{IpAddr, ToSocketAddrs};

use super::rule::Texts;
use crate::kind::KindError;
use crate::system::accounts;
use crate::system::host::Host;

/// Types of ICMP by name.
const ICMP: &[(&str, &str)] = &[
    ("echo-reply", "0"),
    ("destination-unreachable", "3"),
    ("source-quench", "4"),
    ("redirect", "6"),
    ("echo-request", "8"),
    ("router-advertisement", "9"),
    ("router-solicitation", "10"),
    ("time-exceeded", "11"),
    ("parameter-problem", "12"),
    ("timestamp-request", "13"),
    ("timestamp-reply", "14"),
    ("address-mask-request", "17"),
    ("address-mask-reply", "18"),
];

/// Types of ICMP for IPv6 by name.
const ICMP6: &[(&str, &str)] = &[
    ("destination-unreachable", "1"),
    ("too-big", "2"),
    ("time-exceeded", "3"),
    ("parameter-problem", "4"),
    ("echo-request", "128"),
    ("echo-reply", "129"),
    ("router-solicitation", "133"),
    ("router-advertisement", "134"),
    ("neighbour-solicitation", "135"),
    ("neighbour-advertisement", "136"),
    ("redirect", "137"),
];

/// Levels of messages by name.
const LEVELS: &[(&str, &str)] = &[
    ("panic", "0"),
    ("alert", "1"),
    ("crit", "2"),
    ("err", "3"),
    ("error", "3"),
    ("warn", "4"),
    ("warning", "4"),
    ("not", "5"),
    ("notice", "5"),
    ("info", "6"),
    ("debug", "7"),
];

/// Protocols by number.
const PROTOCOLS: &[(&str, &str)] = &[
    ("0", "all"),
    ("1", "icmp"),
    ("2", "igmp"),
    ("4", "ipencap"),
    ("6", "tcp"),
    ("7", "cbt"),
    ("17", "udp"),
    ("47", "gre"),
    ("50", "esp"),
    ("51", "ah"),
    ("58", "ipv6-icmp"),
    ("89", "ospf"),
    ("103", "pim"),
    ("112", "vrrp"),
    ("132", "sctp"),
];

/// Classes of DSCP by the numbers that iptables prints.
const CLASSES: &[(&str, &str)] = &[
    ("0x0a", "af11"),
    ("0x0c", "af12"),
    ("0x0e", "af13"),
    ("0x12", "af21"),
    ("0x14", "af22"),
    ("0x16", "af23"),
    ("0x1a", "af31"),
    ("0x1c", "af32"),
    ("0x1e", "af33"),
    ("0x22", "af41"),
    ("0x24", "af42"),
    ("0x26", "af43"),
    ("0x08", "cs1"),
    ("0x10", "cs2"),
    ("0x18", "cs3"),
    ("0x20", "cs4"),
    ("0x28", "cs5"),
    ("0x30", "cs6"),
    ("0x38", "cs7"),
    ("0x2e", "ef"),
];

/// Targets that may be written in small letters.
const TARGETS: [&str; 14] = [
    "accept",
    "reject",
    "drop",
    "queue",
    "return",
    "dnat",
    "snat",
    "log",
    "nflog",
    "netmap",
    "masquerade",
    "redirect",
    "mark",
    "ct",
];

/// All flags of TCP, as `ALL` means them.
const ALL_FLAGS: [&str; 6] = ["ACK", "FIN", "PSH", "RST", "SYN", "URG"];

fn look_up(table: &[(&str, &str)], text: &str) -> Option<String> {
    table.iter().find(|(name, _)| *name == text).map(|(_, value)| (*value).to_string())
}

/// The exclamation mark of a text, and the rest.
pub(super) fn negation(text: &str) -> (bool, &str) {
    match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    }
}

fn with_negation(negated: bool, text: &str) -> String {
    if negated { format!("! {text}") } else { text.to_string() }
}

/// The values of an attribute as a rule is written; none if it has no effect.
///
/// # Errors
/// When a value is not valid, or the name of a host is not known.
pub(super) fn written(name: &str, texts: &[String], is_ipv6: bool) -> Result<Texts, KindError> {
    let each = |form: &dyn Fn(&str) -> Result<Option<String>, KindError>| {
        let texts = texts.iter().map(|text| {
            let (negated, plain) = negation(text);
            Ok(form(plain)?.map(|plain| with_negation(negated, &plain)))
        });
        Ok(texts.collect::<Result<Vec<_>, KindError>>()?.into_iter().flatten().collect())
    };
    let always = |form: &dyn Fn(&str) -> String| each(&|text| Ok(Some(form(text))));
    let wrong = |text: &str| KindError::new(format!("'{text}' is no value of {name}"));
    match name {
        "source" | "destination" => each(&|text| network(text, is_ipv6)),
        "ctorigsrc" | "ctorigdst" | "ctreplsrc" | "ctrepldst" => each(&|text| {
            let network = network(text, is_ipv6)?;
            let whole = if is_ipv6 { "/128" } else { "/32" };
            Ok(network.map(|net| net.strip_suffix(whole).unwrap_or(&net).to_string()))
        }),
        "icmp" => each(&|text| {
            let is_number = text.split('/').all(|part| part.bytes().all(|b| b.is_ascii_digit()));
            let named = look_up(if is_ipv6 { ICMP6 } else { ICMP }, text);
            match named.or_else(|| is_number.then(|| text.to_string())) {
                None if text == "any" => Ok(None),
                None => Err(wrong(text)),
                found => Ok(found),
            }
        }),
        "log_level" => each(&|text| {
            let is_level = matches!(text.as_bytes(), [b'0'..=b'7']);
            let level = look_up(LEVELS, text).or_else(|| is_level.then(|| text.to_string()));
            level.map(Some).ok_or_else(|| wrong(text))
        }),
        "set_mark" | "match_mark" | "connmark" => {
            each(&|text| mark(text).map(Some).ok_or_else(|| wrong(text)))
        }
        "ctmask" | "nfmask" => {
            let number = |text: &str| hexadecimal(text.split('/').next().unwrap_or(text));
            each(&|text| number(text).map(Some).ok_or_else(|| wrong(text)))
        }
        "time_start" | "time_stop" => always(&time),
        // Excluded values are excluded together.
        "sport" | "dport" | "state" | "ctstate" | "ctstatus" => {
            let is_port = name.ends_with("port");
            let plain = texts.iter().map(|text| negation(text).1);
            let plain =
                plain.map(|text| if is_port { text.replace('-', ":") } else { text.into() });
            let mut plain: Texts = plain.collect();
            let negated = texts.first().is_some_and(|text| negation(text).0);
            if let Some(first) = plain.first_mut().filter(|_| negated) {
                *first = format!("! {first}");
            }
            Ok(plain)
        }
        "jump" => always(&|text| {
            let is_target = TARGETS.contains(&text.to_ascii_lowercase().as_str());
            if is_target { text.to_ascii_uppercase() } else { text.to_string() }
        }),
        _ => Ok(texts.to_vec()),
    }
}

/// The same in a form in which equal values are equal texts.
pub(super) fn comparable(host: &Host, name: &str, texts: &[String]) -> Texts {
    let negated = texts.first().is_some_and(|text| negation(text).0);
    let each = |form: &dyn Fn(&str) -> String| -> Texts {
        let texts = texts.iter().map(|text| negation(text));
        texts.map(|(negated, plain)| with_negation(negated, &form(plain))).collect()
    };
    match name {
        "sport" | "dport" | "state" | "ctstate" | "ctstatus" | "month_days" | "week_days" => {
            let plain = texts.iter().map(|text| negation(text).1.trim_start_matches('0'));
            let mut plain: Texts = plain.map(str::to_string).collect();
            plain.sort();
            plain.dedup();
            if negated {
                plain.insert(0, "!".to_string());
            }
            plain
        }
        "uid" | "gid" => each(&|text| {
            let text: String = text.split_whitespace().collect();
            let id = if name == "uid" {
                accounts::user(host, &text).map(|user| user.uid)
            } else {
                accounts::group(host, &text)
            };
            id.map_or(text, |id| id.to_string())
        }),
        "mac_source" | "jump" => each(&|text| text.to_ascii_lowercase()),
        "tcp_flags" => {
            each(&|text| text.split_whitespace().map(flags).collect::<Vec<_>>().join(" "))
        }
        "string_hex" => each(&|text| text.split_whitespace().collect()),
        "stat_probability" => each(&|text| match text.parse::<f64>() {
            // iptables keeps 31 bits of it.
            Ok(number) => format!("{number:.6}"),
            Err(_) => text.to_string(),
        }),
        "limit" | "hashlimit_upto" | "hashlimit_above" => each(&rate),
        "proto" => each(&|text| look_up(PROTOCOLS, text).unwrap_or_else(|| text.to_string())),
        "set_dscp" => each(&|text| match number(text) {
            Some(number) => format!("0x{number:02x}"),
            None => text.to_string(),
        }),
        "src_type" | "dst_type" | "ipset" | "rpfilter" => {
            let mut texts = texts.to_vec();
            texts.sort();
            texts
        }
        _ => texts.to_vec(),
    }
}

/// The value that an attribute has if a rule does not print it.
pub(super) fn default(name: &str) -> Option<&'static str> {
    match name {
        "proto" => Some("all"),
        "log_level" => Some("4"),
        "burst" => Some("5"),
        _ => None,
    }
}

/// The class of a number of DSCP.
pub(super) fn dscp_class(number: &str) -> Option<String> {
    look_up(CLASSES, number)
}

/// A list of flags in one order.
fn flags(list: &str) -> String {
    let mut flags: Vec<&str> = list.split(',').filter(|flag| *flag != "ALL").collect();
    if list.split(',').any(|flag| flag == "ALL") {
        flags.extend(ALL_FLAGS);
    }
    flags.sort_unstable();
    flags.dedup();
    flags.join(",")
}

/// A rate with the short name of its unit.
fn rate(text: &str) -> String {
    let (number, unit) = text.split_once('/').unwrap_or((text, "sec"));
    let short = ["sec", "min", "hour", "day"].into_iter().find(|short| unit.starts_with(short));
    format!("{number}/{}", short.unwrap_or(unit))
}

/// A time of day with two digits for hours, and seconds.
fn time(text: &str) -> String {
    let hours = text.split(':').next().unwrap_or_default().len();
    let padded = if hours == 1 { format!("0{text}") } else { text.to_string() };
    if padded.matches(':').count() == 1 { format!("{padded}:00") } else { padded }
}

/// A number in decimal, hexadecimal or octal digits.
fn number(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    match lower.strip_prefix('0').filter(|digits| !digits.is_empty()) {
        Some(digits) => u32::from_str_radix(digits, 8).ok(),
        None => lower.parse().ok(),
    }
}

fn hexadecimal(text: &str) -> Option<String> {
    Some(format!("0x{:x}", number(text)?))
}

/// A mark with its mask.
fn mark(text: &str) -> Option<String> {
    let (value, mask) = text.split_once('/').unwrap_or((text, "0xffffffff"));
    Some(format!("{}/{}", hexadecimal(value)?, hexadecimal(mask)?))
}

/// An address with the length of its prefix; `None` if it covers all addresses.
fn network(text: &str, is_ipv6: bool) -> Result<Option<String>, KindError> {
    let (address, mask) = match text.split_once('/') {
        Some((address, mask)) => (address, Some(mask)),
        None => (text, None),
    };
    let plain = address.strip_prefix('[').and_then(|a| a.strip_suffix(']')).unwrap_or(address);
    let Ok(address) = plain.parse::<IpAddr>() else { return resolved(text, is_ipv6).map(Some) };
    let wrong = || KindError::new(format!("'{text}' is no address"));
    let bits: u32 = if address.is_ipv4() { 32 } else { 128 };
    let length = match mask {
        None => bits,
        Some(mask) => match mask.parse::<IpAddr>() {
            Ok(mask) => mask_length(mask).filter(|_| mask.is_ipv4() == address.is_ipv4()),
            Err(_) => mask.parse().ok(),
        }
        .filter(|length| *length <= bits)
        .ok_or_else(wrong)?,
    };
    if length == 0 {
        return Ok(None);
    }
    let shift = bits - length;
    let first = match address {
        IpAddr::V4(v4) => IpAddr::V4((v4.to_bits() >> shift << shift).into()),
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> shift << shift).into()),
    };
    Ok(Some(format!("{first}/{length}")))
}

/// The length of a netmask, if it is one.
fn mask_length(mask: IpAddr) -> Option<u32> {
    let (ones, zeros, bits) = match mask {
        IpAddr::V4(v4) => (v4.to_bits().leading_ones(), v4.to_bits().trailing_zeros(), 32),
        IpAddr::V6(v6) => (v6.to_bits().leading_ones(), v6.to_bits().trailing_zeros(), 128),
    };
    (ones + zeros == bits).then_some(ones)
}

/// The address of a host by name.
fn resolved(name: &str, is_ipv6: bool) -> Result<String, KindError> {
    let failed = || KindError::new(format!("Failed to resolve hostname {name}"));
    let found = (name, 0).to_socket_addrs().map_err(|_| failed())?;
    let address = found.map(|found| found.ip()).find(|address| address.is_ipv6() == is_ipv6);
    let address = address.ok_or_else(failed)?;
    Ok(format!("{address}/{}", if is_ipv6 { 128 } else { 32 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, texts: &[&str]) -> String {
        let texts: Texts = texts.iter().map(|text| (*text).to_string()).collect();
        written(name, &texts, false).map_or_else(|e| e.to_string(), |texts| texts.join(" | "))
    }

    #[test]
    fn values_are_written_as_iptables_prints_them() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("source", &["10.1.2.3/8"], "10.0.0.0/8"),
            ("source", &["! 10.1.2.3"], "! 10.1.2.3/32"),
            ("source", &["10.0.0.0/255.255.0.0"], "10.0.0.0/16"),
            ("source", &["0.0.0.0/0"], ""),
            ("destination", &["FE80:0::1/64"], "fe80::/64"),
            ("source", &["10.0.0.0/255.0.255.0"], "'10.0.0.0/255.0.255.0' is no address"),
            ("source", &["1.2.3.4/33"], "'1.2.3.4/33' is no address"),
            ("ctorigdst", &["1.2.3.4"], "1.2.3.4"),
            ("icmp", &["echo-request"], "8"),
            ("icmp", &["nonsense"], "'nonsense' is no value of icmp"),
            ("log_level", &["warn"], "4"),
            ("set_mark", &["42"], "0x2a/0xffffffff"),
            ("match_mark", &["! 0x1/0xFF"], "! 0x1/0xff"),
            ("time_start", &["8:30"], "08:30:00"),
            ("dport", &["! 80", "! 90-99"], "! 80 | 90:99"),
            ("jump", &["accept"], "ACCEPT"),
            ("jump", &["web"], "web"),
        ];
        for (name, texts, wanted) in cases {
            assert_eq!(of(name, texts), *wanted, "{name} {texts:?}");
        }
    }

    #[test]
    fn equal_values_have_one_form() {
        assert_eq!(flags("ALL"), flags("FIN,SYN,RST,PSH,ACK,URG"));
        assert_eq!(rate("3/second"), rate("3/sec"));
        assert_eq!(rate("16"), "16/sec");
        assert_eq!(dscp_class("0x0a").as_deref(), Some("af11"));
    }
}
