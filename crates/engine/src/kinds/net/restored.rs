//! What puts an interface back as it was.

use std::net::IpAddr;

use ordain_data::Value;

use super::Interface;
use super::live::{self, Live};
use crate::host::Host;
use crate::kind::KindError;
use crate::kinds::cached::read_text;
use crate::kinds::differences::texts;
use crate::kinds::params::Params;
use crate::kinds::tools::is_live;
use crate::reversal::Attributes;

/// What was there besides what can be declared.
pub(super) struct Restored {
    /// The file for systemd-networkd, if there was one.
    pub(super) unit: Option<String>,
    /// All gateways of a family, if the resource has one.
    pub(super) gateways: Option<Vec<IpAddr>>,
}

impl Restored {
    /// What the attributes of a resource say, if it puts something back.
    pub(super) fn of(p: &mut Params<'_>) -> Option<Self> {
        let unit = p.text("unit")?;
        let gateways = p.list("gateways").map(|all| {
            let parse = |text: &String| {
                let gateway = text.parse().ok();
                if gateway.is_none() {
                    p.error("gateways", format!("error parsing gateway: {text}"));
                }
                gateway
            };
            all.iter().filter_map(parse).collect()
        });
        Some(Self { unit: Some(unit).filter(|unit| !unit.is_empty()), gateways })
    }

    /// Gives an interface the gateways of a family that it had, and no others.
    pub(super) fn put_gateways(
        &self,
        host: &Host,
        name: &str,
        is_ipv6: bool,
    ) -> Result<(), KindError> {
        let Some(wanted) = &self.gateways else { return Ok(()) };
        let now = Live::of(host, name)?.gateways(is_ipv6);
        let family = if is_ipv6 { "-6" } else { "-4" };
        let call = |verb: &str, gateway: &IpAddr, more: &[&str]| {
            let via = gateway.to_string();
            let route = [family, "route", verb, "default", "via", &via, "dev", name];
            live::ip(host, &[&route[..], more].concat()).map(drop)
        };
        for old in now.iter().filter(|gateway| !wanted.contains(gateway)) {
            call("del", old, &[])?;
        }
        for new in wanted.iter().filter(|gateway| !now.contains(gateway)) {
            call("append", new, &["proto", "static"])?;
        }
        Ok(())
    }
}

/// The attributes of the interface as it is now, as far as the resource changes it.
pub(super) fn of(net: &Interface, host: &Host) -> Result<Attributes, KindError> {
    let unit = read_text(&host.path(&net.unit)).map_err(|e| net.failed("read", &e))?;
    let mut attributes = vec![("unit", Value::str(unit.unwrap_or_default()))];
    let mut state = net.state;
    if is_live(host) {
        let live = Live::of(host, &net.name)?;
        if !state.is_empty() {
            state = if live.is_up { "up" } else { "down" };
        }
        if let Some(wanted) = net.addresses.as_ref().filter(|_| !net.is_left_down()) {
            // Also those that an interface gives itself, if they were declared.
            let now = net.counted(&live, wanted).map(ToString::to_string);
            attributes.push(("addrs", texts(now)));
        }
        if let Some(gateway) = net.gateway.filter(|_| !net.is_left_down()) {
            let now = live.gateways(gateway.is_ipv6());
            attributes.push(("gateway", Value::str(gateway.to_string())));
            attributes.push(("gateways", texts(now.iter().map(IpAddr::to_string))));
        }
    }
    attributes.push(("state", Value::str(state)));
    Ok(attributes)
}
