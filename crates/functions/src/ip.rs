//! Addresses and networks of IPv4 and IPv6.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use crate::{Error, Result};

/// Parses a network `address/prefix`, or an address, which is a network of itself.
///
/// # Errors
/// `invalid address: x`
pub fn parse_network(text: &str) -> Result<IpNet> {
    let bad = || Error::Address(format!("invalid address: {text}"));
    match text.split_once('/') {
        None => Ok(IpNet::from(parse_address(text)?)),
        Some((address, prefix)) => {
            let address: IpAddr = parse_address(address).map_err(|_| bad())?;
            let length = match prefix.parse::<u8>() {
                Ok(length) => length,
                Err(_) => {
                    let mask: IpAddr = prefix.parse().map_err(|_| bad())?;
                    ipnet::ip_mask_to_prefix(mask).map_err(|_| bad())?
                }
            };
            IpNet::new(address, length).map_err(|_| bad())
        }
    }
}

/// Parses an address; an IPv6 address may have a zone (`%eth0`), which is dropped.
///
/// # Errors
/// `invalid address: x`
pub fn parse_address(text: &str) -> Result<IpAddr> {
    let bare = match text.split_once('%') {
        Some((bare, zone)) if bare.contains(':') && !zone.is_empty() => bare,
        _ => text,
    };
    bare.parse().map_err(|_| Error::Address(format!("invalid address: {text}")))
}

/// Whether the text is an IPv4 address.
pub fn is_ipv4(text: &str) -> bool {
    matches!(parse_address(text), Ok(IpAddr::V4(_)))
}

/// Whether the network contains the address (or the whole other network).
///
/// ```
/// assert!(ordain_functions::ip::contains("10.0.0.0/8", "10.1.2.3")?);
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// [`Error::Address`] if one of them is not well-formed.
pub fn contains(network: &str, other: &str) -> Result<bool> {
    Ok(parse_network(network)?.contains(&parse_network(other)?))
}

/// The network of an address with a prefix, as `address/prefix`.
///
/// # Errors
/// [`Error::Address`]
pub fn network(text: &str) -> Result<String> {
    Ok(parse_network(text)?.trunc().to_string())
}

/// The mask of a network.
///
/// # Errors
/// [`Error::Address`]
pub fn netmask(text: &str) -> Result<IpAddr> {
    Ok(parse_network(text)?.netmask())
}

/// An address; every group of an IPv6 address has four digits.
///
/// # Errors
/// [`Error::Address`]
pub fn expanded(text: &str) -> Result<String> {
    Ok(match parse_address(text)? {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => expanded_v6(address),
    })
}

fn expanded_v6(address: Ipv6Addr) -> String {
    let groups: Vec<String> =
        address.segments().iter().map(|group| format!("{group:04x}")).collect();
    groups.join(":")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn networks() {
        assert!(contains("10.0.0.0/255.0.0.0", "10.1.0.0/16").unwrap());
        assert!(!contains("10.0.0.0/8", "11.0.0.1").unwrap());
        assert!(!contains("10.0.0.0/8", "::1").unwrap());
        assert_eq!(network("192.168.7.9/24").unwrap(), "192.168.7.0/24");
        assert_eq!(netmask("::/64").unwrap().to_string(), "ffff:ffff:ffff:ffff::");
        assert_eq!(
            parse_network("1.2.3.4/33").unwrap_err().to_string(),
            "invalid address: 1.2.3.4/33"
        );
    }

    #[test]
    fn addresses() {
        assert!(is_ipv4("1.2.3.4") && !is_ipv4("1.2.3.256") && !is_ipv4("::1"));
        assert!(is_ipv4("1.2.3.4") && !is_ipv4("fe80::1%eth0"));
        assert_eq!(expanded("2001:db8::1").unwrap(), "2001:0db8:0000:0000:0000:0000:0000:0001");
    }
}
