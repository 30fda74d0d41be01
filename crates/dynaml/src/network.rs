//! IP addresses and networks, and arithmetic with them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::diagnostics::stop::{Eval, Stop};
use crate::value::Value;

/// An address, with the prefix length of its network if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Net {
    /// The address.
    pub address: IpAddr,
    /// The length of the prefix.
    pub prefix: Option<u8>,
}

impl Net {
    fn bits(address: IpAddr) -> u8 {
        if address.is_ipv4() { 32 } else { 128 }
    }

    /// The address as a number.
    fn number(address: IpAddr) -> u128 {
        match address {
            IpAddr::V4(a) => u128::from(u32::from(a)),
            IpAddr::V6(a) => u128::from(a),
        }
    }

    /// The address of the same family with this number.
    pub(crate) fn of(&self, number: u128) -> Eval<IpAddr> {
        match self.address {
            IpAddr::V4(_) => {
                u32::try_from(number).map(|n| IpAddr::V4(Ipv4Addr::from(n))).map_err(|_| overflow())
            }
            IpAddr::V6(_) => Ok(IpAddr::V6(Ipv6Addr::from(number))),
        }
    }

    /// The mask of a network's host part.
    pub(crate) fn host_mask(&self) -> u128 {
        let bits = Self::bits(self.address);
        let free = bits - self.prefix.unwrap_or(bits);
        1u128.checked_shl(u32::from(free)).map_or(u128::MAX, |n| n - 1)
    }

    pub(crate) fn first(&self) -> u128 {
        Self::number(self.address) & !self.host_mask()
    }

    pub(crate) fn last(&self) -> u128 {
        Self::number(self.address) | self.host_mask()
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && (self.first()..=self.last()).contains(&Self::number(address))
    }
}

fn overflow() -> Stop {
    Stop::failed("IP address overflow")
}

/// Parses an address or network.
///
/// # Errors
/// When it is neither.
pub(crate) fn parse(value: &Value) -> Eval<Net> {
    let Value::Str(text) = value else { return Err(Stop::silent()) };
    parse_text(text).ok_or_else(Stop::silent)
}

/// Parses an address or network; `None` if the text is neither.
pub(crate) fn parse_text(text: &str) -> Option<Net> {
    match text.split_once('/') {
        None => Some(Net { address: text.parse().ok()?, prefix: None }),
        Some((address, prefix)) => {
            let address: IpAddr = address.parse().ok()?;
            let plain = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
            let prefix: u8 = if plain { prefix.parse().ok()? } else { return None };
            (prefix <= Net::bits(address)).then_some(Net { address, prefix: Some(prefix) })
        }
    }
}

/// The address at an offset; in a network it stays inside.
///
/// # Errors
/// When there is no such address.
pub(crate) fn shift(_text: &str, net: &Net, by: i128) -> Eval<Value> {
    let number = Net::number(net.address);
    let moved = if by < 0 {
        number.checked_sub(by.unsigned_abs())
    } else {
        number.checked_add(by.unsigned_abs())
    };
    let inside = "resulting ip address not in CIDR range";
    let outside = || if net.prefix.is_some() { Stop::failed(inside) } else { overflow() };
    let address = net.of(moved.ok_or_else(outside)?).map_err(|_| outside())?;
    match net.prefix {
        None => Ok(Value::str(address.to_string())),
        Some(_) if !net.contains(address) => Err(Stop::failed(inside)),
        Some(prefix) => Ok(Value::str(format!("{address}/{prefix}"))),
    }
}

/// The distance of two addresses.
///
/// # Errors
/// When they belong to different families, or are too far apart.
pub(crate) fn distance(a: &Net, b: &Net) -> Eval<Value> {
    if a.address.is_ipv4() != b.address.is_ipv4() {
        return Err(Stop::failed("IP type mismatch"));
    }
    let (x, y) = (Net::number(a.address), Net::number(b.address));
    let far = i64::try_from(x.abs_diff(y));
    let far = far.map_err(|_| Stop::failed("the addresses are too far apart"))?;
    Ok(Value::Int(if x >= y { far } else { -far }))
}

/// The n-th following network of the same size.
///
/// # Errors
/// When there is no such network.
pub(crate) fn nth(net: &Net, n: i64) -> Eval<Value> {
    let Some(prefix) = net.prefix else { return Err(Stop::silent()) };
    let size = net.host_mask().checked_add(1);
    let by = size.and_then(|s| s.checked_mul(u128::from(n.unsigned_abs())));
    let moved = match by {
        _ if n == 0 => Some(net.first()),
        Some(by) if n < 0 => net.first().checked_sub(by),
        Some(by) => net.first().checked_add(by),
        None => None,
    };
    let address = net.of(moved.ok_or_else(overflow)?)?;
    Ok(Value::str(format!("{address}/{prefix}")))
}

/// The first part of a network that is split into at least `n` parts.
///
/// # Errors
/// When the network is too small.
pub(crate) fn split(net: &Net, n: i64) -> Eval<Value> {
    let Some(prefix) = net.prefix else { return Err(Stop::silent()) };
    let Some(n) = u64::try_from(n).ok().filter(|n| *n > 0) else {
        return Err(Stop::failed("IP address division requires a positive integer argument"));
    };
    let more = 64 - (n - 1).leading_zeros();
    let prefix = u32::from(prefix) + more;
    if prefix > u32::from(Net::bits(net.address)) {
        return Err(Stop::failed("divisor too large for CIDR network size"));
    }
    Ok(Value::str(format!("{}/{prefix}", net.of(net.first())?)))
}

/// Ranges of addresses, counted through.
pub(crate) struct Pool {
    ranges: Vec<(IpAddr, u128, u128)>,
}

impl Pool {
    /// No addresses.
    pub(crate) fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// Adds an address, a range `a - b`, or a network.
    pub(crate) fn add(&mut self, text: &str) -> Eval<()> {
        let invalid = |text: &str| Stop::failed(format!("invalid IP '{text}'"));
        if text.contains('/') {
            let net = parse_text(text.trim()).ok_or_else(|| invalid(text))?;
            self.ranges.push((net.address, net.first(), net.last()));
            return Ok(());
        }
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let address =
            |text: &str| -> Eval<IpAddr> { text.trim().parse().map_err(|_| invalid(text.trim())) };
        let (from, to) = (address(from)?, address(to)?);
        let (first, last) = (Net::number(from), Net::number(to));
        if from.is_ipv4() != to.is_ipv4() {
            return Err(Stop::failed("IP type mismatch"));
        }
        if first > last {
            return Err(Stop::failed(format!(
                "invalid IP range: start ({from}) larger than end ({to})"
            )));
        }
        self.ranges.push((from, first, last));
        Ok(())
    }

    /// The number of addresses.
    pub(crate) fn len(&self) -> u128 {
        self.ranges.iter().fold(0u128, |n, (_, a, b)| n.saturating_add((b - a).saturating_add(1)))
    }

    /// The n-th address.
    pub(crate) fn get(&self, mut n: u128) -> Option<String> {
        for (family, first, last) in &self.ranges {
            if n <= last - first {
                let net = Net { address: *family, prefix: None };
                return net.of(first + n).ok().map(|a| a.to_string());
            }
            n -= last - first + 1;
        }
        None
    }
}

/// All numbers in arguments that are integers or lists of them.
fn flatten(values: &[Value], out: &mut Vec<i64>, bad: &str) -> Eval<()> {
    for value in values {
        match value {
            Value::Int(n) => out.push(*n),
            Value::List(list) => {
                for item in &list.items {
                    flatten(std::slice::from_ref(&item.value), out, bad)?;
                }
            }
            _ => return Err(Stop::failed(bad)),
        }
    }
    Ok(())
}

/// All integers in the arguments of `static_ips`.
pub(crate) fn indices(values: &[Value], bad: &str) -> Eval<Vec<i64>> {
    let mut out = Vec::new();
    flatten(values, &mut out, bad)?;
    if let Some(n) = out.iter().find(|n| **n < 0) {
        return Err(Stop::failed(format!("negative ip indices are not allowed: {n}")));
    }
    Ok(out)
}
