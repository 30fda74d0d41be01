//! The text functions of the package `net`: host and port, hardware addresses, networks.

use std::net::IpAddr;

use crate::{Error, Result};

/// Host and port of `host:port`, `[host]:port` or `[host%zone]:port`.
///
/// # Errors
/// Such as `address a: missing port in address`.
pub fn split_host_port(address: &str) -> Result<(&str, &str)> {
    let fail = |reason: &str| {
        let place = if address.is_empty() { String::new() } else { format!("address {address}: ") };
        Error::Address(format!("{place}{reason}"))
    };
    let colon = address.rfind(':').ok_or_else(|| fail("missing port in address"))?;
    let (host, port) = (&address[..colon], &address[colon + 1..]);
    let (mut open_from, mut close_from) = (0, 0);
    let host = if let Some(inner) = address.strip_prefix('[') {
        let end = inner.find(']').ok_or_else(|| fail("missing ']' in address"))? + 1;
        match end + 1 {
            after if after == address.len() => return Err(fail("missing port in address")),
            after if after == colon => {}
            after if address.as_bytes().get(after) == Some(&b':') => {
                return Err(fail("too many colons in address"));
            }
            _ => return Err(fail("missing port in address")),
        }
        (open_from, close_from) = (1, end + 1);
        address.get(1..end).unwrap_or("")
    } else if host.contains(':') {
        return Err(fail("too many colons in address"));
    } else {
        host
    };
    if address.get(open_from..).is_some_and(|rest| rest.contains('[')) {
        return Err(fail("unexpected '[' in address"));
    }
    if address.get(close_from..).is_some_and(|rest| rest.contains(']')) {
        return Err(fail("unexpected ']' in address"));
    }
    Ok((host, port))
}

/// The bytes of a hardware address of 6, 8 or 20 bytes: `00:11:22:33:44:55`, with dashes, or
/// `0011.2233.4455`.
///
/// # Errors
/// `address x: invalid MAC address`
pub fn parse_mac(text: &str) -> Result<Vec<u8>> {
    let place = if text.is_empty() { String::new() } else { format!("address {text}: ") };
    let fail = || Error::Address(format!("{place}invalid MAC address"));
    if text.len() < 14 {
        return Err(fail());
    }
    let bytes = text.as_bytes();
    let (mark, width) = match (bytes.get(2), bytes.get(4)) {
        (Some(mark @ (b':' | b'-')), _) => (*mark, 2),
        (_, Some(b'.')) => (b'.', 4),
        _ => return Err(fail()),
    };
    let mut out = Vec::new();
    for group in bytes.split(|b| *b == mark) {
        let digits = std::str::from_utf8(group).map_err(|_| fail())?;
        if digits.len() != width || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(fail());
        }
        let value = u16::from_str_radix(digits, 16).map_err(|_| fail())?;
        let [high, low] = value.to_be_bytes();
        if width == 4 {
            out.push(high);
        }
        out.push(low);
    }
    if matches!(out.len(), 6 | 8 | 20) { Ok(out) } else { Err(fail()) }
}

/// A hardware address in lower case with colons.
pub fn mac(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(":")
}

/// Address and prefix length of `192.0.2.1/24`.
///
/// # Errors
/// `invalid CIDR address: x`
pub fn parse_cidr(text: &str) -> Result<(IpAddr, u8)> {
    let fail = || Error::Address(format!("invalid CIDR address: {text}"));
    let (address, length) = text.split_once('/').ok_or_else(fail)?;
    let address: IpAddr = address.parse().map_err(|_| fail())?;
    let is_number = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
    let length: u8 = length.parse().ok().filter(|_| is_number).ok_or_else(fail)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if length <= most { Ok((address, length)) } else { Err(fail()) }
}

/// The same by the package `net/netip`.
///
/// # Errors
/// Such as `netip.ParsePrefix("x"): no '/'`.
pub fn parse_prefix(text: &str) -> Result<(IpAddr, u8)> {
    let fail = |reason: String| {
        let shown = super::quote::quote(text.as_bytes());
        Error::Address(format!("netip.ParsePrefix({shown}): {reason}"))
    };
    let (address, length) = text.rsplit_once('/').ok_or_else(|| fail("no '/'".into()))?;
    if address.contains('%') {
        return Err(fail("IPv6 zones cannot be present in a prefix".into()));
    }
    let parsed: IpAddr = address.parse().map_err(|_| {
        let shown = super::quote::quote(address.as_bytes());
        fail(format!("ParseAddr({shown}): unable to parse IP"))
    })?;
    let is_number = length.bytes().all(|b| b.is_ascii_digit());
    let has_zero = length.len() > 1 && length.starts_with('0');
    let bad = || fail(format!("bad bits after slash: {}", super::quote::quote(length.as_bytes())));
    if !is_number || has_zero {
        return Err(bad());
    }
    let bits: u32 = length.parse().map_err(|_| bad())?;
    let most = if parsed.is_ipv4() { 32 } else { 128 };
    match u8::try_from(bits) {
        Ok(bits) if bits <= most => Ok((parsed, bits)),
        _ => Err(fail("prefix length out of range".into())),
    }
}

/// The first address of a network, and the last.
pub fn range(address: IpAddr, length: u8) -> (IpAddr, IpAddr) {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            let low = u32::from(v4) & mask;
            (IpAddr::V4(low.into()), IpAddr::V4((low | !mask).into()))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            let low = u128::from(v6) & mask;
            (IpAddr::V6(low.into()), IpAddr::V6((low | !mask).into()))
        }
    }
}

/// The address after this one, if there is one.
pub fn next(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(v4) => u32::from(v4).checked_add(1).map(|n| IpAddr::V4(n.into())),
        IpAddr::V6(v6) => u128::from(v6).checked_add(1).map(|n| IpAddr::V6(n.into())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hosts_and_ports_are_split() {
        assert_eq!(split_host_port("a:80").unwrap(), ("a", "80"));
        assert_eq!(split_host_port("[::1%lo]:80").unwrap(), ("::1%lo", "80"));
        for (address, want) in [
            ("a", "missing port in address"),
            ("::1:80", "too many colons in address"),
            ("[::1", "missing ']' in address"),
            ("[::1]", "missing port in address"),
            ("[a]:[b]", "unexpected '[' in address"),
            ("a]:1", "unexpected ']' in address"),
        ] {
            let error = split_host_port(address).unwrap_err().to_string();
            assert_eq!(error, format!("address {address}: {want}"));
        }
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(mac(&parse_mac("00-AA-bb-cc-DD-ee").unwrap()), "00:aa:bb:cc:dd:ee");
        assert_eq!(mac(&parse_mac("00AA.bbcc.DDee").unwrap()), "00:aa:bb:cc:dd:ee");
        assert!(parse_mac("00:11:22:33:44").is_err() && parse_mac("0:11:22:33:44:55:6").is_err());
        let (address, length) = parse_cidr("192.0.2.12/24").unwrap();
        assert_eq!(
            range(address, length),
            ("192.0.2.0".parse().unwrap(), "192.0.2.255".parse().unwrap())
        );
        assert!(parse_cidr("192.0.2.12/33").is_err() && parse_cidr("192.0.2.012/8").is_err());
    }
}
