//! `mgmt::net`: a network interface, now and after a boot.

pub(in crate::kinds) mod live;
mod restored;

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use self::live::{Address, LiveInterface};
use self::restored::InterfaceBackup;
use crate::kind::ReversalAttributes;
use crate::kind::differences::{Differences, changes, texts};
use crate::kind::params::Params;
use crate::kind::tools::is_live;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::watch::Watch;
use crate::system::write::{Owner, remove, rewrite, sync_directory};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Net;

/// The configuration directory of systemd-networkd.
const UNITS: &str = "/etc/systemd/network";

impl Kind for Net {
    fn schema(&self) -> &KindSchema {
        &machine::MGMT_NET
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let name = p.name();
        let is_part = |c: char| !c.is_whitespace() && !c.is_control() && c != '/';
        if name.is_empty() || name.len() > 15 || !name.chars().all(is_part) || name.starts_with('-')
        {
            p.error("name", format!("'{name}' is not a valid interface name"));
        }
        let state = p.one_of("state", &["up", "down", ""]).unwrap_or_default();
        let addresses = p.list("addrs").map(|texts| {
            let parse = |text: &String| {
                let address = Address::parse(text);
                if address.is_none() {
                    p.error("addrs", format!("invalid address: {text}"));
                }
                address
            };
            texts.iter().filter_map(parse).collect()
        });
        let gateway = p.text("gateway").filter(|text| !text.is_empty());
        let gateway = gateway.and_then(|text| {
            let gateway: Option<IpAddr> = text.parse().ok();
            if gateway.is_none() {
                p.error("gateway", format!("error parsing gateway: {text}"));
            }
            gateway
        });
        let net = Interface {
            restored: InterfaceBackup::of(&mut p),
            unit: Path::new(UNITS).join(format!("mgmt-{name}.network")),
            name,
            state,
            addresses,
            gateway,
            forward: p.has("ip_forward").then(|| p.boolean("ip_forward")),
        };
        p.finish(Box::new(net) as Box<dyn Instance>)
    }
}

struct Interface {
    name: String,
    /// `up`, `down`, or empty if both are fine.
    state: &'static str,
    addresses: Option<Vec<Address>>,
    gateway: Option<IpAddr>,
    forward: Option<bool>,
    /// The file for systemd-networkd.
    unit: PathBuf,
    /// The earlier state, if this resource restores it.
    restored: Option<InterfaceBackup>,
}

impl Interface {
    /// The desired file for systemd-networkd, if any.
    fn wanted_unit(&self) -> Option<String> {
        match &self.restored {
            Some(restored) => restored.unit.clone(),
            None => (self.state == "up").then(|| self.unit_text()),
        }
    }

    fn unit_text(&self) -> String {
        let mut lines =
            vec!["[Match]".to_string(), format!("Name={}", self.name), "[Network]".to_string()];
        let addresses = self.addresses.iter().flatten();
        lines.extend(addresses.map(|address| format!("Address={address}")));
        lines.extend(self.gateway.map(|gateway| format!("Gateway={gateway}")));
        lines.extend(self.forward.map(|forward| format!("IPForward={forward}")));
        lines.join("\n")
    }

    fn compare_unit(&self, host: &Host, to: &mut Differences<'_>) -> Result<(), KindError> {
        if self.state.is_empty() {
            return Ok(());
        }
        let now = read_text(&host.path(&self.unit)).map_err(|e| self.failed("read", &e))?;
        let wanted = self.wanted_unit();
        if now != wanted {
            let value = |text: Option<String>| text.map_or(Value::Null, Value::str);
            to.property("unit", value(now), value(wanted));
        }
        Ok(())
    }

    fn write_unit(&self, host: &Host) -> Result<(), KindError> {
        if let Some(text) = self.wanted_unit() {
            return rewrite(host, &self.unit, text.as_bytes(), Owner { mode: 0o644, ids: None })
                .map_err(|e| self.failed("write", &e));
        }
        let removed = host.keep(&self.unit, false).and_then(|()| {
            let place = resolve(host, &self.unit, false)?;
            remove(host, &place)?;
            sync_directory(&place)
        });
        removed.map_err(|e| self.failed("remove", &e))
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> KindError {
        KindError::new(format!("Could not {what} {}: {error}", self.unit.display()))
    }

    fn compare_live(&self, live: &LiveInterface, to: &mut Differences<'_>) {
        let state = if live.is_up { "up" } else { "down" };
        if !self.state.is_empty() && self.state != state {
            to.property("state", Value::str(state), Value::str(self.state));
        }
        if self.is_left_down() {
            return;
        }
        if let Some(wanted) = &self.addresses {
            let now: Vec<&Address> = self.counted(live, wanted).collect();
            let lacks = wanted.iter().any(|address| !now.contains(&address));
            if lacks || now.iter().any(|address| !wanted.contains(address)) {
                let value = |all: &mut dyn Iterator<Item = &Address>| {
                    let mut all: Vec<String> = all.map(Address::to_string).collect();
                    all.sort();
                    texts(all)
                };
                to.property("addrs", value(&mut now.into_iter()), value(&mut wanted.iter()));
            } else {
                for address in wanted.iter().filter(|address| live.lacks_route(address)) {
                    to.property("routes", Value::Null, Value::str(address.to_string()));
                }
            }
        }
        let sorted = |all: &[IpAddr]| {
            let mut all = all.to_vec();
            all.sort();
            all
        };
        if let Some((gateways, wanted)) = self.gateways(live)
            && sorted(&gateways) != sorted(&wanted)
        {
            let value = |all: &[IpAddr]| {
                let text = all.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
                if text.is_empty() { Value::Null } else { Value::str(text) }
            };
            to.property("gateway", value(&gateways), value(&wanted));
        }
    }

    /// Whether the interface is down and nothing else of it matters.
    fn is_left_down(&self) -> bool {
        self.state == "down" && self.restored.is_none()
    }

    /// The current gateways, and the desired ones if they are declared.
    fn gateways(&self, live: &LiveInterface) -> Option<(Vec<IpAddr>, Vec<IpAddr>)> {
        let gateway = self.gateway?;
        let now = live.gateways(gateway.is_ipv6());
        match &self.restored {
            Some(restored) => Some((now, restored.gateways.clone()?)),
            None => Some((now, vec![gateway])),
        }
    }

    /// The addresses of the interface that matter: automatic ones do not, unless they are declared.
    fn counted<'a>(
        &self,
        live: &'a LiveInterface,
        wanted: &'a [Address],
    ) -> impl Iterator<Item = &'a Address> {
        let all = live.addresses.iter();
        all.filter(|address| !address.is_own() || wanted.contains(address))
    }
}

impl Instance for Interface {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        let unit = (!self.state.is_empty()).then(|| Watch::Path(self.unit.clone()));
        unit.into_iter().chain(is_live(host).then_some(Watch::Network)).collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        self.compare_unit(host, &mut differences)?;
        // A directory that stands for a machine has no interfaces.
        if is_live(host) {
            self.compare_live(&LiveInterface::of(host, &self.name)?, &mut differences);
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        if changes(todo, "unit") {
            self.write_unit(host)?;
        }
        if !is_live(host) {
            return Ok(());
        }
        let name = &self.name;
        let is_switched = changes(todo, "state");
        let switch = || live::ip(host, &["link", "set", "dev", name, self.state]).map(drop);
        if is_switched && (self.state == "up" || self.is_left_down()) {
            switch()?;
        }
        if self.is_left_down() {
            return Ok(());
        }
        let mut live = LiveInterface::of(host, name)?;
        if let Some(wanted) = &self.addresses {
            let counted: Vec<Address> = self.counted(&live, wanted).cloned().collect();
            for old in counted.iter().filter(|address| !wanted.contains(address)) {
                live::ip(host, &["addr", "del", &old.to_string(), "dev", name])?;
            }
            for new in wanted.iter().filter(|address| !counted.contains(address)) {
                live::ip(host, &["addr", "add", &new.to_string(), "dev", name])?;
            }
            live = LiveInterface::of(host, name)?;
            for address in wanted.iter().filter(|address| live.lacks_route(address)) {
                let (net, own) = (address.network(), address.ip.to_string());
                let scope = ["proto", "kernel", "scope", "link", "src", &own];
                let route = ["route", "replace", &net, "dev", name];
                live::ip(host, &[&route[..], &scope].concat())?;
            }
        }
        match (self.gateway, &self.restored) {
            (Some(gateway), None) => set_gateway(host, name, &live, gateway)?,
            (Some(gateway), Some(restored)) => {
                restored.put_gateways(host, name, gateway.is_ipv6())?;
            }
            (None, _) => {}
        }
        // An interface that was down is restored before it is set down.
        if is_switched && self.state == "down" { switch() } else { Ok(()) }
    }

    fn reversal(&self, host: &Host) -> Result<Option<ReversalAttributes>, KindError> {
        reversal_of(self, host).map(Some)
    }
}

/// Makes a gateway the only one of an interface.
fn set_gateway(
    host: &Host,
    name: &str,
    live: &LiveInterface,
    wanted: IpAddr,
) -> Result<(), KindError> {
    let now = live.gateways(wanted.is_ipv6());
    if now == [wanted] {
        return Ok(());
    }
    let family = if wanted.is_ipv6() { "-6" } else { "-4" };
    // The first is replaced; the others have to be removed at least.
    for old in now.iter().skip(1) {
        live::ip(host, &[family, "route", "del", "default", "via", &old.to_string(), "dev", name])?;
    }
    let via = wanted.to_string();
    let route = [family, "route", "replace", "default", "via", &via, "dev", name];
    live::ip(host, &[&route[..], &["proto", "static"]].concat())?;
    // A route with another metric is not replaced.
    for old in now.iter().take(1).filter(|old| **old != wanted) {
        let old = old.to_string();
        if LiveInterface::of(host, name)?.gateways(wanted.is_ipv6()).len() > 1 {
            live::ip(host, &[family, "route", "del", "default", "via", &old, "dev", name])?;
        }
    }
    Ok(())
}

/// The attributes of the interface as it is now, as far as the resource changes it.
fn reversal_of(net: &Interface, host: &Host) -> Result<ReversalAttributes, KindError> {
    let unit = read_text(&host.path(&net.unit)).map_err(|e| net.failed("read", &e))?;
    let mut attributes = vec![("unit", Value::str(unit.unwrap_or_default()))];
    let mut state = net.state;
    if is_live(host) {
        let live = LiveInterface::of(host, &net.name)?;
        if !state.is_empty() {
            state = if live.is_up { "up" } else { "down" };
        }
        if let Some(wanted) = net.addresses.as_ref().filter(|_| !net.is_left_down()) {
            // Including automatic ones, if they were declared.
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
