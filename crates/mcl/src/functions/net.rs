//! `net` and `util`: addresses and network interfaces.

use std::net::IpAddr;
use std::path::Path;

use ordain_functions::go;

use super::{Builtin, Call, Fault, Outcome, Watch};
use crate::value::{Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "net.cidr_to_first",
        "func(a str) str",
        "The address after the given one, if it is in the same network.",
        cidr_to_first,
    )
    .catchable(),
    Builtin::pure(
        "net.cidr_to_ip",
        "func(a str) str",
        "The address of `192.0.2.1/24`.",
        cidr_to_ip,
    )
    .catchable(),
    Builtin::pure(
        "net.cidr_to_last",
        "func(a str) str",
        "The last address of a network.",
        cidr_to_last,
    )
    .catchable(),
    Builtin::pure(
        "net.cidr_to_mask",
        "func(a str) str",
        "The mask of a network as an address.",
        cidr_to_mask,
    )
    .catchable(),
    Builtin::pure(
        "net.cidr_to_network",
        "func(a str) str",
        "The network with its prefix: `192.0.2.0/24`.",
        cidr_to_network,
    )
    .catchable(),
    Builtin::pure(
        "net.cidr_to_prefix",
        "func(a str) str",
        "The length of the prefix of a network.",
        cidr_to_prefix,
    )
    .catchable(),
    Builtin::stream(
        "net.interface_cidr",
        "func(interface str) str",
        "Address and prefix of a network interface, IPv4.",
        interface_cidr,
    ),
    Builtin::pure(
        "net.ip_in_cidr",
        "func(ip str, cidr str) bool",
        "Whether an address is in a network.",
        ip_in_cidr,
    )
    .catchable(),
    Builtin::pure(
        "net.is_mac",
        "func(a str) bool",
        "Whether a text is a hardware address in lower case with colons.",
        is_mac,
    ),
    Builtin::pure(
        "net.macfmt",
        "func(a str) str",
        "A hardware address in lower case with colons.",
        macfmt,
    )
    .catchable(),
    Builtin::stream("net.macs", "func() []str", "The hardware addresses of this machine.", macs),
    Builtin::pure(
        "net.oldmacfmt",
        "func(a str) str",
        "A hardware address in lower case with dashes.",
        oldmacfmt,
    )
    .catchable(),
    Builtin::pure(
        "net.split_hostport",
        "func(str) struct{host str; port str}",
        "Host and port of `host:port`.",
        split_hostport,
    )
    .catchable(),
    Builtin::pure(
        "net.url_parser",
        "func(str) struct{scheme str; host str; path str; raw_query str}",
        "The parts of a URL.",
        url_parser,
    )
    .catchable(),
    Builtin::stream(
        "net.wired_interface",
        "func() str",
        "The name of the first network interface with a cable.",
        wired_interface,
    ),
    Builtin::impure(
        "util.hostname_mapper",
        "func(map{str: str}) str",
        "The name that a map from hardware addresses to names has for this machine.",
        hostname_mapper,
    ),
];

fn catchable(error: ordain_functions::Error) -> Fault {
    Fault::catchable(error.to_string())
}

/// Splits address and prefix length and trims blanks.
fn cidr(call: &Call<'_>) -> Result<(IpAddr, u8), Fault> {
    go::net::parse_cidr(call.text(0)?.trim()).map_err(catchable)
}

/// The same with the stricter parser, whose messages have its name.
fn prefix(call: &Call<'_>) -> Result<(IpAddr, u8), Fault> {
    go::net::parse_prefix(&call.text(0)?).map_err(catchable)
}

fn cidr_to_ip(call: &mut Call<'_>) -> Outcome {
    Ok(cidr(call)?.0.to_string().into())
}

fn cidr_to_prefix(call: &mut Call<'_>) -> Outcome {
    Ok(cidr(call)?.1.to_string().into())
}

fn cidr_to_mask(call: &mut Call<'_>) -> Outcome {
    let (address, length) = cidr(call)?;
    let ones = match address {
        IpAddr::V4(_) => IpAddr::V4(u32::MAX.into()),
        IpAddr::V6(_) => IpAddr::V6(u128::MAX.into()),
    };
    Ok(go::net::range(ones, length).0.to_string().into())
}

fn cidr_to_network(call: &mut Call<'_>) -> Outcome {
    let (address, length) = cidr(call)?;
    Ok(format!("{}/{length}", go::net::range(address, length).0).into())
}

fn cidr_to_first(call: &mut Call<'_>) -> Outcome {
    let (address, length) = prefix(call)?;
    let last = go::net::range(address, length).1;
    let next = go::net::next(address).filter(|_| address != last);
    let next = next.ok_or_else(|| Fault::catchable("no usable next address"))?;
    Ok(next.to_string().into())
}

fn cidr_to_last(call: &mut Call<'_>) -> Outcome {
    let (address, length) = prefix(call)?;
    Ok(go::net::range(address, length).1.to_string().into())
}

fn ip_in_cidr(call: &mut Call<'_>) -> Outcome {
    let text = call.text(0)?;
    let address: IpAddr =
        text.parse().map_err(|_| Fault::catchable(format!("invalid IP: {text}")))?;
    let (network, length) = go::net::parse_cidr(&call.text(1)?).map_err(catchable)?;
    let (low, high) = go::net::range(network, length);
    let is_inside = address.is_ipv4() == network.is_ipv4() && (low..=high).contains(&address);
    Ok(is_inside.into())
}

/// The length of a hardware address with separators.
const MAC_LENGTH: usize = 17;

fn read_mac(call: &Call<'_>) -> Result<String, Fault> {
    let text = call.text(0)?;
    if call.str(0)?.len() != MAC_LENGTH {
        return Err(Fault::catchable(format!("invalid MAC address length: {text}")));
    }
    go::net::parse_mac(&text).map(|bytes| go::net::mac(&bytes)).map_err(catchable)
}

fn is_mac(call: &mut Call<'_>) -> Outcome {
    let text = call.text(0)?;
    Ok(read_mac(call).is_ok_and(|mac| mac == text).into())
}

fn macfmt(call: &mut Call<'_>) -> Outcome {
    Ok(read_mac(call)?.into())
}

fn oldmacfmt(call: &mut Call<'_>) -> Outcome {
    Ok(read_mac(call)?.replace(':', "-").into())
}

fn split_hostport(call: &mut Call<'_>) -> Outcome {
    let text = call.text(0)?;
    let (host, port) = go::net::split_host_port(&text).map_err(catchable)?;
    Ok(Struct::of([("host", host.into()), ("port", port.into())]).into())
}

fn url_parser(call: &mut Call<'_>) -> Outcome {
    let url = go::url::parse(&call.text(0)?).map_err(catchable)?;
    if url.scheme.is_empty() {
        return Err(Fault::catchable("empty schemes are invalid"));
    }
    let fields = [
        ("scheme", url.scheme.into()),
        ("host", url.host.into()),
        ("path", Value::bytes(url.path)),
        ("raw_query", url.raw_query.into()),
    ];
    Ok(Struct::of(fields).into())
}

/// A network interface.
struct Interface {
    name: String,
    index: i64,
    mac: String,
    is_loopback: bool,
    is_up: bool,
}

/// The directory of the system with the network interfaces.
const INTERFACES: &str = "/sys/class/net";

/// All network interfaces in the order of their numbers.
fn interfaces(call: &Call<'_>) -> Result<Vec<Interface>, Fault> {
    let world = call.environment.world();
    let entries = world
        .list(Path::new(INTERFACES))
        .map_err(|error| Fault::fatal(format!("could not list interfaces: {error}")))?;
    let read = |name: &str, what: &str| {
        let content = world.read(&Path::new(INTERFACES).join(name).join(what));
        let text = content.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
        text.unwrap_or_default()
    };
    let mut all: Vec<Interface> = entries
        .into_iter()
        .map(|(name, _)| {
            let flags = read(&name, "flags");
            let flags = i64::from_str_radix(flags.trim_start_matches("0x"), 16).unwrap_or(0);
            let mac = read(&name, "address");
            Interface {
                index: read(&name, "ifindex").parse().unwrap_or(i64::MAX),
                // Interfaces without hardware show an address of zeros, which is no address.
                mac,
                is_loopback: flags & 8 != 0,
                is_up: flags & 1 != 0,
                name,
            }
        })
        .collect();
    all.sort_by_key(|interface| interface.index);
    Ok(all)
}

fn macs(call: &mut Call<'_>) -> Outcome {
    let all = interfaces(call)?;
    call.watch(Watch::Network);
    let found = all.into_iter().filter(|one| !one.is_loopback && one.mac.len() == MAC_LENGTH);
    Ok(Value::list(found.map(|one| one.mac.into())))
}

fn wired_interface(call: &mut Call<'_>) -> Outcome {
    let world = call.environment.world();
    let is_wireless =
        |name: &str| world.kind(&Path::new(INTERFACES).join(name).join("wireless")).is_some();
    let mut wired: Vec<Interface> = interfaces(call)?;
    wired.retain(|one| !one.is_loopback && !one.mac.is_empty() && !is_wireless(&one.name));
    call.watch(Watch::Network);
    let found = wired.iter().find(|one| one.is_up).or(wired.first());
    let missing = || Fault::fatal("no wired network interface found");
    found.map(|one| one.name.as_str().into()).ok_or_else(missing)
}

fn interface_cidr(call: &mut Call<'_>) -> Outcome {
    let name = call.text(0)?;
    let request = ordain_source::ProcessRequest {
        argv: ["ip", "-4", "-o", "addr", "show", "dev", &name, "scope", "global"]
            .map(str::to_owned)
            .to_vec(),
        cwd: None,
        env: Vec::new(),
        stdin: Vec::new(),
        timeout: Some(std::time::Duration::from_secs(10)),
    };
    let output = call.environment.world().run(&request);
    let output = output.map_err(|error| Fault::fatal(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace().skip_while(|word| *word != "inet").skip(1);
    call.watch(Watch::Network);
    let missing = || Fault::fatal(format!("interface `{name}` has no global-unicast IPv4 address"));
    words.next().map(Into::into).ok_or_else(missing)
}

fn hostname_mapper(call: &mut Call<'_>) -> Outcome {
    let map = call.map(0)?;
    let mut found: Vec<String> = interfaces(call)?
        .into_iter()
        .filter(|one| !one.is_loopback && one.mac.len() == MAC_LENGTH)
        .filter_map(|one| map.get_str(&one.mac)?.as_str().map(ToString::to_string))
        .filter(|name| !name.is_empty())
        .collect();
    found.sort();
    found.dedup();
    match found.len() {
        0 | 1 => Ok(found.pop().unwrap_or_default().into()),
        _ => Err(Fault::fatal(format!("multiple hostnames found: {}", found.join(", ")))),
    }
}
