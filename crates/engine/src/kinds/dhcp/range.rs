//! `mgmt::dhcp::range`: addresses for any client.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ordain_functions::go;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use super::host::AssignmentInstance;
use super::model::{Assignment, Boot, Dhcp, Range, mask, server_of};
use crate::kind::params::Params;
use crate::kind::{Instance, Kind, ParseContext, ParseResult};
use crate::kinds::serving::{Claim, Hub, Spec};

pub(super) const KIND: &str = "mgmt::dhcp::range";

/// The kind.
pub(super) struct Ranges {
    hub: Arc<Hub<Dhcp>>,
}

impl Ranges {
    pub(super) fn new(hub: &Arc<Hub<Dhcp>>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

/// The fields that define the addresses of the range.
#[derive(Default)]
struct Fields {
    name: String,
    network: String,
    from: String,
    to: String,
    mask: String,
}

/// First and last address, and the mask.
type Bounds = (Ipv4Addr, Ipv4Addr, Ipv4Addr);

impl Fields {
    fn bounds(&self) -> Result<Bounds, String> {
        if self.from.is_empty() != self.to.is_empty() {
            return Err("must specify both from and to or neither".into());
        }
        if !self.from.is_empty() {
            return self.between();
        }
        if !self.mask.is_empty() {
            return Err("mask must not be set when using network".into());
        }
        let network = if self.network.is_empty() { &self.name } else { &self.network };
        if network.is_empty() {
            return Err("empty network".into());
        }
        let (ip, length) = go::net::parse_prefix(network).map_err(|e| e.to_string())?;
        let (IpAddr::V4(first), IpAddr::V4(last)) = go::net::range(ip, length) else {
            return Err("only ipv4 is supported at this time".into());
        };
        Ok((first, last, mask(length)))
    }

    fn between(&self) -> Result<Bounds, String> {
        let mut length = None;
        let mut address = |text: &str| {
            let (ip, own) = match go::net::parse_prefix(text) {
                Ok((ip, own)) => (Some(ip), Some(own)),
                Err(_) => (text.parse().ok(), None),
            };
            length = own.or(length);
            match ip {
                Some(IpAddr::V4(ip)) => Ok(ip),
                _ => Err("only ipv4 is supported at this time".to_string()),
            }
        };
        let (from, to) = (address(&self.from)?, address(&self.to)?);
        if self.mask.is_empty() == length.is_none() {
            return Err("mask must be specified somehow".into());
        }
        let own = length.map_or_else(|| parse_mask(&self.mask), |length| Ok(mask(length)))?;
        if from > to {
            return Err("no IPs in the given range to allocate".into());
        }
        Ok((from, to, own))
    }
}

/// A mask: `/24` or `255.255.255.0`.
fn parse_mask(text: &str) -> Result<Ipv4Addr, String> {
    let Some(length) = text.strip_prefix('/') else {
        let bad = || format!("invalid mask: {text}");
        let mask: Ipv4Addr = text.parse().map_err(|_| bad())?;
        let is_mask = mask.to_bits().leading_ones() + mask.to_bits().trailing_zeros() == 32;
        return if is_mask && !mask.is_unspecified() { Ok(mask) } else { Err(bad()) };
    };
    let length: i64 = length.parse().map_err(|_| format!("invalid cidr suffix: {text}"))?;
    match u8::try_from(length) {
        Ok(length) if length <= 32 => Ok(mask(length)),
        Ok(length) if length <= 128 => Err(format!("invalid ipv4 cidr: {text}")),
        _ => Err(format!("invalid cidr: {text}")),
    }
}

impl Kind for Ranges {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_DHCP_RANGE
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mut text = |name: &str| p.text(name).unwrap_or_default();
        let (network, from, to) = (text("network"), text("from"), text("to"));
        let mask = text("mask");
        let fields = Fields { name: p.name(), network, from, to, mask };
        let none = Ipv4Addr::UNSPECIFIED;
        let (from, to, mask) = fields.bounds().unwrap_or_else(|error| {
            p.error_of_all(error);
            (none, none, none)
        });
        let mut skip = BTreeSet::new();
        for text in p.list("skip").unwrap_or_default() {
            let ip = text.split_once('/').map_or(text.as_str(), |(ip, _)| ip);
            let is_plain = !text.contains('/') || go::net::parse_prefix(&text).is_ok();
            match ip.parse() {
                Ok(IpAddr::V4(ip)) if is_plain => drop(skip.insert(ip)),
                Ok(IpAddr::V6(_)) if is_plain => {}
                _ => p.error("skip", format!("invalid ip: {text}")),
            }
        }
        let persist = p.boolean("persist");
        let range = Range { from, to, mask, skip, persist, boot: Boot::of(&mut p) };
        let declared = AssignmentInstance {
            claim: Claim::new(&self.hub, KIND, &resource.id.title),
            spec: Spec {
                server: server_of(&mut p),
                path: String::new(),
                what: Assignment::Range(range),
            },
            description: format!("addresses from {from} to {to} are given"),
        };
        p.finish(Box::new(declared) as Box<dyn Instance>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(fields: [&str; 5]) -> Result<String, String> {
        let [name, network, from, to, mask] = fields.map(str::to_owned);
        let fields = Fields { name, network, from, to, mask };
        fields.bounds().map(|(from, to, mask)| format!("{from} {to} {mask}"))
    }

    #[test]
    fn a_range_can_be_said_in_several_ways() {
        let whole = Ok("192.0.2.0 192.0.2.255 255.255.255.0".to_string());
        assert_eq!(bounds(["192.0.2.0/24", "", "", "", ""]), whole);
        assert_eq!(bounds(["x", "192.0.2.7/24", "", "", ""]), whole);
        let part = Ok("192.0.2.5 192.0.2.9 255.255.255.0".to_string());
        assert_eq!(bounds(["x", "", "192.0.2.5/24", "192.0.2.9/24", ""]), part);
        assert_eq!(bounds(["x", "", "192.0.2.5", "192.0.2.9", "/24"]), part);
        assert_eq!(bounds(["x", "", "192.0.2.5", "192.0.2.9", "255.255.255.0"]), part);
        assert_eq!(bounds(["x", "", "192.0.2.5/24", "192.0.2.9", ""]), part);
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for (fields, why) in [
            (["x", "", "192.0.2.5", "", ""], "must specify both from and to or neither"),
            (["x", "", "192.0.2.5", "192.0.2.9", ""], "mask must be specified somehow"),
            (["x", "", "192.0.2.5/24", "192.0.2.9/24", "/24"], "mask must be specified somehow"),
            (["x", "", "::1", "::2", "/24"], "only ipv4 is supported at this time"),
            (["x", "", "192.0.2.9", "192.0.2.5", "/24"], "no IPs in the given range to allocate"),
            (["x", "", "192.0.2.5", "192.0.2.9", "/x"], "invalid cidr suffix: /x"),
            (["x", "", "192.0.2.5", "192.0.2.9", "/33"], "invalid ipv4 cidr: /33"),
            (["x", "", "192.0.2.5", "192.0.2.9", "/129"], "invalid cidr: /129"),
            (["x", "", "192.0.2.5", "192.0.2.9", "255.0.255.0"], "invalid mask: 255.0.255.0"),
            (["x", "192.0.2.0/24", "", "", "/24"], "mask must not be set when using network"),
            (["", "", "", "", ""], "empty network"),
            (["x", "", "", "", ""], "netip.ParsePrefix(\"x\"): no '/'"),
            (["2001:db8::/64", "", "", "", ""], "only ipv4 is supported at this time"),
        ] {
            assert_eq!(bounds(fields), Err(why.to_string()), "{fields:?}");
        }
    }

    #[test]
    fn no_machine_has_the_address_of_all() {
        let mut range = Range {
            from: Ipv4Addr::new(192, 0, 2, 0),
            to: Ipv4Addr::new(192, 0, 2, 7),
            mask: mask(29),
            skip: [Ipv4Addr::new(192, 0, 2, 3)].into(),
            persist: false,
            boot: Boot::default(),
        };
        let last = |range: &Range| range.addresses().map(|ip| ip.octets()[3]).collect::<Vec<_>>();
        assert_eq!(last(&range), [1, 2, 4, 5, 6]);
        range.mask = mask(24);
        assert_eq!(last(&range), [1, 2, 4, 5, 6, 7]);
        (range.to, range.mask) = (Ipv4Addr::new(192, 0, 2, 1), mask(31));
        assert_eq!(last(&range), [0, 1]);
    }
}
