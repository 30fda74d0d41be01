//! Restores an interface.

use std::net::IpAddr;

use super::live::{self, LiveInterface};
use crate::kind::KindError;
use crate::kind::params::Params;
use crate::system::host::Host;

/// The earlier state of an interface that attributes cannot express.
pub(super) struct InterfaceBackup {
    /// The file for systemd-networkd, if there was one.
    pub(super) unit: Option<String>,
    /// All gateways of a family, if the resource has one.
    pub(super) gateways: Option<Vec<IpAddr>>,
}

impl InterfaceBackup {
    /// Reads the attributes of a resource that restores an interface.
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
        let now = LiveInterface::of(host, name)?.gateways(is_ipv6);
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
