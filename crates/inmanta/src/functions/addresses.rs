//! Functions for addresses and networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::entry::{Entry, Outcome, plain, string};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::Value;

pub(super) const TABLE: &[Entry] = &[
    plain("prefixlength_to_netmask", "prefixlen: int", "std::ipv4_address", to_netmask),
    plain("prefixlen", "addr: std::ipv_any_interface", "int", prefixlen),
    plain("network_address", "addr: std::ipv_any_interface", "std::ipv_any_address", network),
    plain("netmask", "addr: std::ipv_any_interface", "std::ipv_any_address", netmask),
    plain(
        "ipindex",
        "addr: std::ipv_any_network, position: int, keep_prefix: bool = false",
        "string",
        ipindex,
    ),
    plain("add_to_ip", "addr: std::ipv_any_address, n: int", "std::ipv_any_address", add_to_ip),
    plain(
        "ip_address_from_interface",
        "ip_interface: std::ipv_any_interface",
        "std::ipv_any_address",
        address_of,
    ),
];

/// An address with a prefix length.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) address: IpAddr,
    zone: Option<String>,
    pub(super) prefix: u8,
}

impl Interface {
    /// Reads `address[/prefix]`; for IPv4 the prefix may be a net mask or a host mask.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (address, mask) = match text.split_once('/') {
            Some((address, mask)) => (address, Some(mask)),
            None => (text, None),
        };
        let (bare, zone) = match address.split_once('%') {
            Some((bare, zone)) => (bare, Some(zone.to_owned())),
            None => (address, None),
        };
        if zone.as_ref().is_some_and(|z| z.is_empty() || z.contains('%') || !bare.contains(':')) {
            return None;
        }
        let address: IpAddr = bare.parse().ok()?;
        let bits = bits(address);
        let prefix = match mask {
            None => bits,
            Some(mask) if !mask.is_empty() && mask.bytes().all(|b| b.is_ascii_digit()) => {
                mask.parse().ok().filter(|&length| length <= bits)?
            }
            Some(mask) if address.is_ipv4() => mask_length(mask.parse().ok()?)?,
            Some(_) => return None,
        };
        Some(Self { address, zone, prefix })
    }

    pub(super) fn has_host_bits(&self) -> bool {
        self.number() & !self.mask() != 0
    }

    fn number(&self) -> u128 {
        number(self.address)
    }

    fn mask(&self) -> u128 {
        let bits = u32::from(bits(self.address));
        let host = bits - u32::from(self.prefix);
        let all = if bits == 32 { u128::from(u32::MAX) } else { u128::MAX };
        if host == 128 { 0 } else { all >> host << host }
    }

    fn same_family(&self, number: u128) -> IpAddr {
        match self.address {
            IpAddr::V4(_) => Ipv4Addr::from(number as u32).into(),
            IpAddr::V6(_) => Ipv6Addr::from(number).into(),
        }
    }
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => address.into(),
    }
}

/// The length of a net mask such as `255.255.255.0`, or of a host mask such as `0.0.0.255`.
fn mask_length(mask: Ipv4Addr) -> Option<u8> {
    let mask = u32::from(mask);
    let length = |mask: u32| {
        let ones = mask.leading_ones();
        (ones == mask.count_ones()).then_some(ones as u8)
    };
    length(mask).or_else(|| length(!mask))
}

fn interface(arguments: &Arguments) -> Result<Interface, Stop> {
    let text = string(arguments, 0);
    Interface::read(text).ok_or_else(|| not_an_interface(text))
}

fn not_an_interface(text: &str) -> Stop {
    let shown = ordain_functions::text::repr_python(text);
    let text = format!("{shown} does not appear to be an IPv4 or IPv6 interface");
    Stop::raised(Exception::ValueError, text)
}

fn address_text(address: IpAddr) -> Value {
    Value::str(address.to_string())
}

fn to_netmask(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let length = arguments.get(0).repr(context);
    let text = format!("255.255.255.255/{length}");
    let interface = Interface::read(&text).ok_or_else(|| not_an_interface(&text))?;
    Ok(address_text(interface.same_family(interface.mask())))
}

fn prefixlen(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Int(interface(arguments)?.prefix.into()))
}

fn network(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let interface = interface(arguments)?;
    Ok(address_text(interface.same_family(interface.number() & interface.mask())))
}

fn netmask(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let interface = interface(arguments)?;
    Ok(address_text(interface.same_family(interface.mask())))
}

fn address_of(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let interface = interface(arguments)?;
    Ok(Value::str(match &interface.zone {
        Some(zone) => format!("{}%{zone}", interface.address),
        None => interface.address.to_string(),
    }))
}

fn ipindex(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let network = interface(arguments)?;
    let first = network.number() & network.mask();
    let host = u32::from(bits(network.address) - network.prefix);
    let last = if host == 128 { u128::MAX } else { first | ((1 << host) - 1) };
    let out_of_range = || Stop::raised(Exception::IndexError, "address out of range");
    let position = arguments.get(1).as_integer().unwrap_or_default();
    let picked = match position.sign() {
        num_bigint::Sign::Minus => {
            let back = u128::try_from(-position - 1).map_err(|_| out_of_range())?;
            last.checked_sub(back)
        }
        _ => first.checked_add(u128::try_from(position).map_err(|_| out_of_range())?),
    };
    let picked = picked.filter(|n| (first..=last).contains(n)).ok_or_else(out_of_range)?;
    let address = network.same_family(picked);
    Ok(Value::str(match arguments.get(2).is_truthy() {
        true => format!("{address}/{}", network.prefix),
        false => address.to_string(),
    }))
}

fn add_to_ip(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let interface = interface(arguments)?;
    let (version, size) = if interface.address.is_ipv4() { (4, 32) } else { (6, 128) };
    let more = arguments.get(1).as_integer().unwrap_or_default();
    let sum = num_bigint::BigInt::from(interface.number()) + more;
    let bad = |why: String| {
        let text = format!("{sum} ({why}) is not permitted as an IPv{version} address");
        Stop::raised(Exception::AddressValueError, text)
    };
    if sum.sign() == num_bigint::Sign::Minus {
        return Err(bad("< 0".into()));
    }
    match u128::try_from(&sum) {
        Ok(sum) if size == 128 || sum >> size == 0 => Ok(address_text(interface.same_family(sum))),
        _ => Err(bad(format!(">= 2**{size}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_read_as_python_reads_them() {
        for (text, prefix) in [
            ("1.2.3.4", Some(32)),
            ("1.2.3.4/24", Some(24)),
            ("1.2.3.4/255.255.0.0", Some(16)),
            ("1.2.3.4/0.0.0.255", Some(24)),
            ("fe80::1%eth0/64", Some(64)),
            ("1.2.3.4/33", None),
            ("1.2.3.04", None),
            ("::1/ffff::", None),
            ("1.2.3.4/", None),
        ] {
            assert_eq!(Interface::read(text).map(|i| i.prefix), prefix, "{text}");
        }
    }

    #[test]
    fn masks() {
        let all = Interface::read("10.1.2.3/0").map(|i| (i.mask(), i.has_host_bits()));
        assert_eq!(all, Some((0, true)));
        assert_eq!(Interface::read("::/0").map(|i| i.has_host_bits()), Some(false));
    }
}
