//! Interfaces, addresses and names.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ordain_data::{Map, Value};

use crate::machine::{Address, Machine, some_map};

#[derive(Default)]
struct Interface {
    v4: Vec<Value>,
    v6: Vec<Value>,
    mac: Option<String>,
    mtu: Option<i64>,
    dhcp: Option<String>,
    state: Option<String>,
    speed: Option<i64>,
    duplex: Option<String>,
    physical: bool,
}

pub(crate) fn networking(machine: &Machine) -> Option<Value> {
    let interfaces = interfaces(machine);
    let primary = primary(machine, &interfaces);
    let shown: BTreeMap<&String, Value> =
        interfaces.iter().map(|(name, i)| (name, interface_value(i))).collect();
    let main = primary.as_ref().and_then(|name| shown.get(name));
    let of_main = |key: &str| main.and_then(|m| m.get(key)).cloned();
    let (hostname, domain) = names(machine);
    let fqdn = hostname.as_ref().map(|host| match &domain {
        Some(domain) => format!("{host}.{domain}"),
        None => host.clone(),
    });
    let all: Map = shown.iter().map(|(name, v)| (name.as_str().into(), v.clone())).collect();
    some_map([
        ("dhcp", of_main("dhcp")),
        ("domain", domain.map(Value::from)),
        ("fqdn", fqdn.map(Value::from)),
        ("hostname", hostname.map(Value::from)),
        ("interfaces", (!all.is_empty()).then(|| Value::Map(all.into()))),
        ("ip", of_main("ip")),
        ("ip6", of_main("ip6")),
        ("mac", of_main("mac")),
        ("mtu", of_main("mtu")),
        ("netmask", of_main("netmask")),
        ("netmask6", of_main("netmask6")),
        ("network", of_main("network")),
        ("network6", of_main("network6")),
        ("primary", primary.map(Value::from)),
        ("scope6", of_main("scope6")),
    ])
}

fn interfaces(machine: &Machine) -> BTreeMap<String, Interface> {
    let mut found = BTreeMap::new();
    for name in machine.list("/sys/class/net") {
        if machine.is_dir(&format!("/sys/class/net/{name}")) {
            let interface = interface(machine, &name);
            found.insert(name, interface);
        }
    }
    let flags = flags6(machine);
    for address in addresses(machine) {
        let interface: &mut Interface = found.entry(address.interface.clone()).or_default();
        match (address.ip, address.netmask) {
            (IpAddr::V4(ip), IpAddr::V4(mask)) => interface.v4.push(binding4(ip, mask)),
            (IpAddr::V6(ip), IpAddr::V6(mask)) => {
                let flags = flags.get(&(address.interface, ip)).map(Vec::as_slice);
                interface.v6.push(binding6(ip, mask, flags.unwrap_or_default()));
            }
            _ => {}
        }
    }
    found
}

fn interface(machine: &Machine, name: &str) -> Interface {
    let dir = format!("/sys/class/net/{name}");
    let text = |file: &str| machine.line(&format!("{dir}/{file}"));
    let mac = permanent_mac(machine, name).or_else(|| text("address"));
    Interface {
        mac: mac.filter(|m| m.contains(':') && m.chars().any(|c| !matches!(c, '0' | ':'))),
        mtu: machine.number(&format!("{dir}/mtu")),
        dhcp: text("ifindex").and_then(|index| dhcp_server(machine, name, &index)),
        state: text("operstate"),
        speed: machine.number(&format!("{dir}/speed")).filter(|s| *s > 0),
        duplex: text("duplex").filter(|d| d != "unknown"),
        physical: machine.exists(&format!("{dir}/device")),
        ..Interface::default()
    }
}

/// The permanent address of an interface in a bond, which hides it.
fn permanent_mac(machine: &Machine, name: &str) -> Option<String> {
    let master = std::fs::read_link(machine.path(&format!("/sys/class/net/{name}/master"))).ok()?;
    let bond = master.file_name()?.to_string_lossy().into_owned();
    let text = machine.read(&format!("/proc/net/bonding/{bond}"))?;
    let part = text.split("Slave Interface: ").skip(1).find(|p| p.lines().next() == Some(name))?;
    part.lines().find_map(|l| l.strip_prefix("Permanent HW addr: ")).map(str::to_owned)
}

/// The server that assigned the address, by the lease files of the usual clients.
fn dhcp_server(machine: &Machine, name: &str, index: &str) -> Option<String> {
    let setting = |text: &str| {
        text.lines().find_map(|l| l.strip_prefix("SERVER_ADDRESS=")).map(str::to_owned)
    };
    if let Some(lease) = machine.read(&format!("/run/systemd/netif/leases/{index}")) {
        return setting(&lease);
    }
    let dirs = ["/var/lib/dhclient", "/var/lib/dhcp", "/var/lib/dhcp3", "/var/lib/NetworkManager"];
    for dir in dirs {
        for file in machine.list(dir) {
            if file.starts_with("internal-") && file.ends_with(&format!("-{name}.lease")) {
                return setting(&machine.read(&format!("{dir}/{file}"))?);
            }
            if !(file.contains("dhclient") && file.contains(".lease")) {
                continue;
            }
            let text = machine.read(&format!("{dir}/{file}")).unwrap_or_default();
            let interface = format!("interface \"{name}\"");
            let setting = |l: &'_ str| {
                l.trim().strip_prefix("option dhcp-server-identifier ").map(str::to_owned)
            };
            let server = text.lines().rev().find_map(setting);
            if let Some(server) = server.filter(|_| text.contains(&interface)) {
                return Some(server.trim_end_matches(';').to_owned());
            }
        }
    }
    None
}

fn addresses(machine: &Machine) -> Vec<Address> {
    if let Some(given) = machine.addresses() {
        return given.to_vec();
    }
    let Ok(all) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    all.filter_map(|a| {
        let ip = socket_ip(a.address.as_ref()?)?;
        Some(Address { interface: a.interface_name, ip, netmask: socket_ip(a.netmask.as_ref()?)? })
    })
    .collect()
}

fn socket_ip(address: &nix::sys::socket::SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|a| IpAddr::V4(a.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|a| IpAddr::V6(a.ip())))
}

fn binding4(ip: Ipv4Addr, mask: Ipv4Addr) -> Value {
    Value::map([
        ("address", ip.to_string().into()),
        ("netmask", mask.to_string().into()),
        ("network", (ip & mask).to_string().into()),
    ])
}

fn binding6(ip: Ipv6Addr, mask: Ipv6Addr, flags: &[&'static str]) -> Value {
    let mut entries = vec![
        ("address", ip.to_string().into()),
        ("netmask", mask.to_string().into()),
        ("network", (ip & mask).to_string().into()),
        ("scope6", scope6(ip).into()),
    ];
    if !flags.is_empty() {
        entries.push(("flags", Value::list(flags.iter().map(|f| Value::from(*f)))));
    }
    Value::map(entries)
}

fn scope6(ip: Ipv6Addr) -> &'static str {
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => "host",
        [first, ..] if first & 0xffc0 == 0xfe80 => "link",
        [first, ..] if first & 0xffc0 == 0xfec0 => "site",
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => "compat,global",
        _ => "global",
    }
}

/// The flags of IPv6 addresses in the kernel's list.
fn flags6(machine: &Machine) -> BTreeMap<(String, Ipv6Addr), Vec<&'static str>> {
    const FLAGS: [(u32, &str); 8] = [
        (0x01, "temporary"),
        (0x02, "noad"),
        (0x04, "optimistic"),
        (0x08, "dadfailed"),
        (0x10, "homeaddress"),
        (0x20, "deprecated"),
        (0x40, "tentative"),
        (0x80, "permanent"),
    ];
    let text = machine.read("/proc/net/if_inet6").unwrap_or_default();
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [address, _, _, _, flags, name] = fields.try_into().ok()?;
        let ip = Ipv6Addr::from(u128::from_str_radix(address, 16).ok()?);
        let bits = u32::from_str_radix(flags, 16).ok()?;
        let names = FLAGS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name);
        Some(((name.to_owned(), ip), names.collect()))
    };
    text.lines().filter_map(entry).collect()
}

/// The first address that is not link-local, or else the first one.
fn main_binding<'a>(bindings: &'a [Value]) -> Option<&'a Value> {
    let usable = |b: &&'a Value| match b.get("address").and_then(|a| a.as_str()?.parse().ok()) {
        Some(IpAddr::V4(ip)) => !(ip.is_loopback() || ip.is_link_local()),
        Some(IpAddr::V6(ip)) => !(ip.is_loopback() || ip.is_unicast_link_local()),
        None => false,
    };
    bindings.iter().find(usable).or(bindings.first())
}

fn interface_value(interface: &Interface) -> Value {
    let list = |b: &[Value]| (!b.is_empty()).then(|| Value::list(b.iter().cloned()));
    let (main4, main6) = (main_binding(&interface.v4), main_binding(&interface.v6));
    let part = |main: Option<&Value>, key: &str| main.and_then(|m| m.get(key)).cloned();
    let text = |t: &Option<String>| t.clone().map(Value::from);
    let value = some_map([
        ("bindings", list(&interface.v4)),
        ("bindings6", list(&interface.v6)),
        ("dhcp", text(&interface.dhcp)),
        ("duplex", text(&interface.duplex)),
        ("ip", part(main4, "address")),
        ("ip6", part(main6, "address")),
        ("mac", text(&interface.mac)),
        ("mtu", interface.mtu.map(Value::Int)),
        ("netmask", part(main4, "netmask")),
        ("netmask6", part(main6, "netmask")),
        ("network", part(main4, "network")),
        ("network6", part(main6, "network")),
        ("operational_state", text(&interface.state)),
        ("physical", Some(Value::Bool(interface.physical))),
        ("scope6", part(main6, "scope6")),
        ("speed", interface.speed.map(Value::Int)),
    ]);
    value.unwrap_or_default()
}

/// The interface of the default route; without one the first with a usable address.
fn primary(machine: &Machine, interfaces: &BTreeMap<String, Interface>) -> Option<String> {
    let routes = machine.read("/proc/net/route").unwrap_or_default();
    let mut best: Option<(u32, &str)> = None;
    for line in routes.lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [name, "00000000", _, flags, _, _, metric, "00000000", ..] = fields[..] else {
            continue;
        };
        let up = u32::from_str_radix(flags, 16).is_ok_and(|f| f & 1 != 0);
        let metric = metric.parse().unwrap_or(u32::MAX);
        if up && best.is_none_or(|(least, _)| metric < least) {
            best = Some((metric, name));
        }
    }
    if let Some((_, name)) = best {
        return Some(name.to_owned());
    }
    let usable = |i: &&Interface| {
        let address = main_binding(&i.v4)?.get("address")?.as_str()?.parse::<Ipv4Addr>().ok()?;
        Some(!(address.is_loopback() || address.is_link_local()))
    };
    interfaces.iter().find(|(_, i)| usable(i) == Some(true)).map(|(name, _)| name.clone())
}

/// The host name and the domain: from the name itself, `/etc/hosts`, or the resolver.
fn names(machine: &Machine) -> (Option<String>, Option<String>) {
    let name = machine.line("/proc/sys/kernel/hostname").or_else(|| machine.line("/etc/hostname"));
    let Some(name) = name else { return (None, None) };
    if let Some((host, domain)) = name.split_once('.') {
        return (Some(host.to_owned()), Some(domain.to_owned()).filter(|d| !d.is_empty()));
    }
    let domain = domain_in_hosts(machine, &name).or_else(|| domain_in_resolver(machine));
    (Some(name), domain)
}

/// The domain from the first name in the host's line of `/etc/hosts`, if it is the host's full
/// name.
fn domain_in_hosts(machine: &Machine, host: &str) -> Option<String> {
    let hosts = machine.read("/etc/hosts")?;
    let lines = hosts.lines().map(|l| l.split('#').next().unwrap_or_default());
    let mut names = lines.map(|l| l.split_whitespace().skip(1).collect::<Vec<_>>());
    let names = names.find(|names| names.contains(&host))?;
    let domain = names.first()?.strip_prefix(host)?.strip_prefix('.')?;
    (!domain.is_empty()).then(|| domain.to_owned())
}

fn domain_in_resolver(machine: &Machine) -> Option<String> {
    let text = machine.read("/etc/resolv.conf")?;
    let setting = |key: &str| {
        text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (line.starts_with(key) && words.next()? == key).then(|| words.next())?
        })
    };
    let domain = setting("domain").or_else(|| setting("search"))?.trim_matches('.');
    (!domain.is_empty()).then(|| domain.to_owned())
}
