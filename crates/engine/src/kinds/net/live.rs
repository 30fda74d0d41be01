//! The state of an interface in the kernel.

use std::fmt;
use std::net::IpAddr;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::kind::KindError;
use crate::kind::tools::{command, path_of, run};
use crate::system::host::Host;

/// An address with its prefix length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Address {
    pub(in crate::kinds) ip: IpAddr,
    length: u8,
}

impl Address {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (ip, length) = text.split_once('/')?;
        let ip: IpAddr = ip.parse().ok()?;
        let is_number = length.bytes().all(|c| c.is_ascii_digit());
        let length = length.parse().ok().filter(|_| is_number)?;
        (length <= longest(ip)).then_some(Self { ip, length })
    }

    /// Whether the interface configures such an address by itself.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
    }

    /// The network that it is in.
    pub(super) fn network(&self) -> String {
        let ip = match self.ip {
            IpAddr::V4(ip) => {
                let mask = u32::MAX.checked_shl(u32::from(32 - self.length)).unwrap_or(0);
                IpAddr::V4((ip.to_bits() & mask).into())
            }
            IpAddr::V6(ip) => {
                let mask = u128::MAX.checked_shl(u32::from(128 - self.length)).unwrap_or(0);
                IpAddr::V6((ip.to_bits() & mask).into())
            }
        };
        format!("{ip}/{}", self.length)
    }
}

fn longest(ip: IpAddr) -> u8 {
    if ip.is_ipv4() { 32 } else { 128 }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.ip, self.length)
    }
}

/// An interface as it is.
pub(in crate::kinds) struct LiveInterface {
    /// Its number.
    pub(in crate::kinds) index: u32,
    pub(in crate::kinds) is_up: bool,
    pub(in crate::kinds) addresses: Vec<Address>,
    routes: Vec<Route>,
}

#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    ifname: String,
    #[serde(default)]
    ifindex: u32,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    addr_info: Vec<LinkAddress>,
}

#[derive(Deserialize)]
struct LinkAddress {
    local: Option<IpAddr>,
    #[serde(default)]
    prefixlen: u8,
}

#[derive(Deserialize)]
struct Route {
    #[serde(default)]
    dst: String,
    gateway: Option<IpAddr>,
    prefsrc: Option<IpAddr>,
    #[serde(default)]
    protocol: String,
}

impl LiveInterface {
    pub(in crate::kinds) fn of(host: &Host, name: &str) -> Result<Self, KindError> {
        let links: Vec<Link> = list(host, &["addr", "show", "dev", name])?;
        // Older tools print an empty object for each of the others.
        let link = links.into_iter().find(|link| link.ifname == name);
        let link = link.ok_or_else(|| KindError::new(format!("there is no interface {name}")))?;
        let mut routes: Vec<Route> = list(host, &["-4", "route", "show", "dev", name])?;
        let default = ["-6", "route", "show", "default", "dev", name];
        routes.extend(list::<Route>(host, &default)?);
        let address = |a: LinkAddress| Some(Address { ip: a.local?, length: a.prefixlen });
        Ok(Self {
            index: link.ifindex,
            is_up: link.flags.iter().any(|flag| flag == "UP"),
            addresses: link.addr_info.into_iter().filter_map(address).collect(),
            routes,
        })
    }

    /// Whether the network of an address cannot be reached by it.
    pub(super) fn lacks_route(&self, address: &Address) -> bool {
        let (net, ip) = (address.network(), address.ip);
        // Other addresses have none, or the kernel manages it.
        let has_one = ip.is_ipv4() && address.length < longest(ip) && !ip.is_loopback();
        let is_it = |route: &Route| {
            route.dst == net && route.prefsrc == Some(ip) && route.protocol == "kernel"
        };
        self.is_up && has_one && !self.routes.iter().any(is_it)
    }

    /// The gateways of its default routes.
    pub(super) fn gateways(&self, is_ipv6: bool) -> Vec<IpAddr> {
        let routes = self.routes.iter().filter(|route| route.dst == "default");
        let gateways = routes.filter_map(|route| route.gateway);
        gateways.filter(|gateway| gateway.is_ipv6() == is_ipv6).collect()
    }
}

fn list<T: DeserializeOwned>(host: &Host, arguments: &[&str]) -> Result<Vec<T>, KindError> {
    let out = ip(host, &[&["-j"], arguments].concat())?;
    if out.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&out)
        .map_err(|e| KindError::new(format!("ip {} gave no list: {e}", arguments.join(" "))))
}

/// Calls `ip`.
pub(super) fn ip(host: &Host, arguments: &[&str]) -> Result<String, KindError> {
    let tool = path_of("ip");
    let argv = std::iter::once(tool.as_str()).chain(arguments.iter().copied());
    Ok(run(host, &command(argv))?.stdout_text())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn addresses_have_a_network() {
        let network = |text: &str| Address::parse(text).unwrap().network();
        assert_eq!(network("192.0.2.42/24"), "192.0.2.0/24");
        assert_eq!(network("192.0.2.42/0"), "0.0.0.0/0");
        assert_eq!(network("192.0.2.42/32"), "192.0.2.42/32");
        assert_eq!(network("2001:db8::42/64"), "2001:db8::/64");
        for bad in ["192.0.2.42", "192.0.2.42/33", "192.0.2/24", "::/129", "::/+1", "/8", ""] {
            assert!(Address::parse(bad).is_none(), "{bad}");
        }
    }
}
