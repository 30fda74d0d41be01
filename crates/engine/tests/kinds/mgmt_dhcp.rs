//! Valid and invalid declarations of the DHCP kinds of mgmt.

use crate::support::serving::WatchedMachine;
use crate::support::{errors, list, s};
use ordain_data::Value;
use ordain_engine::kind::Registry;

const SERVER: &str = "mgmt::dhcp::server";
const HOST: &str = "mgmt::dhcp::host";
const RANGE: &str = "mgmt::dhcp::range";

/// A kind, a title, an attribute with its value, and the error.
type Wrong = (&'static str, &'static str, &'static str, Value, &'static str);

fn wrong() -> Vec<Wrong> {
    vec![
        (
            SERVER,
            "67",
            "dns",
            list(&[]),
            "address: the Address is in an invalid format: 67: address 67: missing port in address",
        ),
        (
            SERVER,
            "[::1]:67",
            "dns",
            list(&[]),
            "address: the Address is not a valid v4 address: ::1",
        ),
        (SERVER, ":67", "interface", s(""), "interface: '' is not a valid interface name"),
        (SERVER, ":67", "serverid", s("::1"), "serverid: ::1 is not a valid IPv4 address"),
        (
            SERVER,
            ":67",
            "leasetime",
            s("100ms"),
            "leasetime: a lease takes a second at least: 100ms",
        ),
        (
            SERVER,
            ":67",
            "leasetime",
            s("1d"),
            "leasetime: invalid duration: 1d: time: unknown unit \"d\" in duration \"1d\"",
        ),
        (SERVER, ":67", "routers", s("a"), "routers: expected a router address, got: a"),
        (SERVER, ":67", "nbp", s("http://h/f"), "nbp: the scheme must be `tftp` for DHCPv4"),
        (
            HOST,
            "h",
            "mac",
            s("00:11:22:33:44:5A"),
            "mac: the mac address is not in the canonical format of: 00:11:22:33:44:5a",
        ),
        (HOST, "h", "mac", s("x"), "mac: invalid mac address: address x: invalid MAC address"),
        (
            HOST,
            "h",
            "ip",
            s("192.0.2.1"),
            "ip: invalid IP/CIDR address: invalid CIDR address: 192.0.2.1",
        ),
        (HOST, "h", "ip", s("::1/64"), "ip: only IPv4 is currently supported"),
        (RANGE, "192.0.2.0/24", "skip", list(&["192.0.2.300"]), "skip: invalid ip: 192.0.2.300"),
        (
            RANGE,
            "192.0.2.0/24",
            "from",
            s("192.0.2.1"),
            "-: must specify both from and to or neither",
        ),
    ]
}

#[test]
fn impossible_addresses_are_refused() {
    let registry = Registry::default();
    let of = |kind: &str, title: &str, more: &[(&str, Value)]| {
        let all = match kind {
            SERVER => vec![("interface", s("eth0"))],
            HOST => vec![("mac", s("00:11:22:33:44:55")), ("ip", s("192.0.2.1/24"))],
            _ => Vec::new(),
        };
        let own = all.into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name));
        let all: Vec<_> = own.chain(more.iter().cloned()).collect();
        errors(registry.get(kind).unwrap(), title, &all)
    };
    for (kind, title, field, value, wrong) in wrong() {
        assert_eq!(of(kind, title, &[(field, value)]), [wrong]);
    }
    let many: Vec<String> = (0..64).map(|n| format!("192.0.2.{n}")).collect();
    let many = list(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(of(SERVER, ":67", &[("dns", many)]), ["dns: more than 63 addresses do not fit"]);
}

#[test]
fn a_run_that_ends_gives_nothing() {
    let mut kept = WatchedMachine::new();
    kept.machine.host.stays = false;
    for (kind, title, attributes, output) in [
        (SERVER, ":67", vec![("interface", s("eth0"))], "addresses are given at eth0"),
        (RANGE, "192.0.2.0/29", vec![], "addresses from 192.0.2.0 to 192.0.2.7 are given"),
        (
            HOST,
            "h",
            vec![("mac", s("00:11:22:33:44:55")), ("ip", s("192.0.2.1/24"))],
            "192.0.2.1/24 is given to 00:11:22:33:44:55",
        ),
    ] {
        let instance = kept.parse(kind, title, &attributes);
        assert_eq!(kept.machine.messages(&*instance), [""; 0]);
        let wanted = format!("{output} only during `ordain watch`");
        assert_eq!(instance.take_log().remove(0).message, wanted);
    }
}
