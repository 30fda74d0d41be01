//! `mgmt::dhcp::server`: a DHCP server on an interface.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ordain_data::Value;
use ordain_functions::go;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, network};
use rustc_hash::FxHasher;

use super::listener::{self, LeasesByServer};
use super::model::{Boot, Dhcp, Settings, v4};
use super::{host, range};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::net::live::LiveInterface;
use crate::kinds::serving::{Claim, Hub};
use crate::system::host::Host;
use crate::system::watch::Watch;

const KIND: &str = "mgmt::dhcp::server";

/// The default duration of a lease.
const LEASE: &str = "10m";

/// The most addresses that an option has.
const MAX_ADDRESSES: usize = 63;

/// The kind.
pub(super) struct Server {
    hub: Arc<Hub<Dhcp>>,
    leases_by_server: Arc<LeasesByServer>,
}

impl Server {
    pub(super) fn new(hub: &Arc<Hub<Dhcp>>) -> Self {
        Self { hub: Arc::clone(hub), leases_by_server: Arc::default() }
    }
}

/// The server identifier.
enum Id {
    Nothing,
    Own(Ipv4Addr),
    /// The first address of its interface.
    OfInterface,
}

/// The host and the port of an address to listen at.
fn parse_address(text: &str) -> Result<(Option<Ipv4Addr>, u16), String> {
    let wrong = |why: String| format!("the Address is in an invalid format: {text}: {why}");
    let (host, port) = go::net::split_host_port(text).map_err(|e| wrong(e.to_string()))?;
    let port = port.parse().map_err(|_| wrong(format!("{port} is not a valid port")))?;
    if host.is_empty() {
        return Ok((None, port));
    }
    let ip: IpAddr = host.parse().map_err(|_| format!("the Address is not a valid IP: {host}"))?;
    let ip = v4(ip).ok_or_else(|| format!("the Address is not a valid v4 address: {host}"))?;
    Ok((Some(ip), port))
}

/// The seconds of a time for leases.
fn parse_lease(text: &str) -> Result<u64, String> {
    let nanos = go::duration::parse(text).map_err(|e| format!("invalid duration: {text}: {e}"))?;
    let seconds = u64::try_from(nanos / 1_000_000_000).unwrap_or(0);
    if seconds == 0 {
        return Err(format!("a lease takes a second at least: {text}"));
    }
    Ok(seconds.min(u32::MAX.into()))
}

fn addresses(p: &mut Params<'_>, field: &str, what: &str) -> Vec<Ipv4Addr> {
    let texts = p.list(field).unwrap_or_default();
    if texts.len() > MAX_ADDRESSES {
        p.error(field, format!("more than {MAX_ADDRESSES} addresses do not fit"));
    }
    let mut out = Vec::new();
    for text in texts {
        match text.parse().ok().and_then(v4) {
            Some(ip) => out.push(ip),
            None => p.error(field, format!("expected a {what} address, got: {text}")),
        }
    }
    out
}

/// The hosts and ranges of a server, and addresses that two hosts declare.
fn parts(context: &ParseContext<'_>, server: &str) -> (Vec<ResourceRef>, Vec<String>) {
    let text = |resource: &Resource, field: &str| {
        resource.value(field).and_then(crate::kind::params::scalar_text).unwrap_or_default()
    };
    let is_own = |resource: &&&Resource| {
        let named = text(resource, "server");
        named.is_empty() || named == server
    };
    let hosts = (context.of_kind)(host::KIND);
    let mut holders: BTreeMap<Ipv4Addr, &ResourceRef> = BTreeMap::new();
    let mut taken = Vec::new();
    for resource in hosts.iter().filter(is_own) {
        let Ok((ip, _)) = host::address(&text(resource, "ip")) else { continue };
        if let Some(other) = holders.insert(ip, &resource.id) {
            taken.push(format!("{other} already reserved ip: {ip}"));
        }
    }
    let ranges = (context.of_kind)(range::KIND);
    let all = hosts.iter().chain(&ranges).filter(is_own);
    (all.map(|resource| resource.id.clone()).collect(), taken)
}

impl Kind for Server {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_DHCP_SERVER
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let address = p.text("address").filter(|text| !text.is_empty());
        let address = address.unwrap_or_else(|| p.name());
        let (own, port) = parse_address(&address).unwrap_or_else(|error| {
            p.error("address", error);
            (None, 0)
        });
        let interface = p.text("interface").unwrap_or_default();
        if interface.is_empty() || interface.len() > 15 {
            p.error("interface", format!("'{interface}' is not a valid interface name"));
        }
        let id = match p.text("serverid") {
            Some(text) if text.is_empty() => Id::Nothing,
            Some(text) => text.parse().ok().and_then(v4).map_or_else(
                || {
                    p.error("serverid", format!("{text} is not a valid IPv4 address"));
                    Id::Nothing
                },
                Id::Own,
            ),
            None => own.map_or(Id::OfInterface, Id::Own),
        };
        let told = p.text("leasetime").unwrap_or_else(|| LEASE.into());
        let lease = Some(&told)
            .filter(|told| !told.is_empty())
            .and_then(|told| parse_lease(told).map_err(|error| p.error("leasetime", error)).ok());
        let settings = Settings {
            interface,
            index: 0,
            port,
            id: None,
            lease,
            has_lease: lease.is_some(),
            dns: addresses(&mut p, "dns", "DNS server"),
            routers: addresses(&mut p, "routers", "router"),
            boot: Boot::of(&mut p),
        };
        let title = &resource.id.title;
        let (parts, taken) = parts(context, title);
        taken.into_iter().for_each(|text| p.error_of_all(text));
        let declared = ServerInstance {
            claim: Claim::new(&self.hub, KIND, title),
            leases_by_server: Arc::clone(&self.leases_by_server),
            settings,
            id,
            parts,
        };
        p.finish(Box::new(declared) as Box<dyn Instance>)
    }
}

struct ServerInstance {
    claim: Claim<Dhcp>,
    leases_by_server: Arc<LeasesByServer>,
    settings: Settings,
    id: Id,
    /// The assignments of the server.
    parts: Vec<ResourceRef>,
}

impl ServerInstance {
    /// Its settings with the current state of the machine.
    fn settings(&self, host: &Host) -> Result<Settings, KindError> {
        let interface = &self.settings.interface;
        let live = LiveInterface::of(host, interface)?;
        let first = || live.addresses.iter().find_map(|address| v4(address.ip));
        let id = match self.id {
            Id::Nothing => None,
            Id::Own(ip) => Some(ip),
            Id::OfInterface => Some(first().ok_or_else(|| {
                KindError::new(format!("{interface} has no address of IPv4 to serve with"))
            })?),
        };
        Ok(Settings { index: live.index, id, ..self.settings.clone() })
    }
}

impl Instance for ServerInstance {
    /// Hosts come first, so that no client gets another address than the declared one, and so does
    /// the interface, which needs an address.
    fn autorequires(&self) -> Vec<ResourceRef> {
        let title = self.settings.interface.as_str().into();
        let interface = ResourceRef { kind: "Mgmt::Net".into(), title };
        self.parts.iter().cloned().chain([interface]).collect()
    }

    fn context_fingerprint(&self) -> Option<u64> {
        let mut hasher = FxHasher::default();
        self.parts.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        if host.stays { vec![Watch::Network] } else { Vec::new() }
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let interface = &self.settings.interface;
        if !self.claim.stays(host, &format!("addresses are given at {interface}")) {
            return Ok(Vec::new());
        }
        let wanted = self.settings(host)?;
        let name = self.claim.name();
        let now = self.claim.hub().server(name, |server| server.settings().cloned());
        let mut differences = Differences::new(&[]);
        match now.flatten() {
            None => differences.create("stopped", Value::str(format!("serving {interface}"))),
            Some(now) if now != wanted => {
                let text = |s: &Settings| match s.id {
                    Some(id) => Value::str(format!("serving {} as {id}", s.interface)),
                    None => Value::str(format!("serving {}", s.interface)),
                };
                differences.property("settings", text(&now), text(&wanted));
            }
            Some(_) => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let (hub, name) = (self.claim.hub(), self.claim.name());
        let settings = self.settings(host)?;
        let leases_of = listener::leases_of(&self.leases_by_server, host, &name.title)?;
        // The port is free for the new one.
        hub.put(name, None);
        let interface = &self.settings.interface;
        let started = listener::start(hub, &name.title, settings, host.root.clone(), leases_of);
        let server =
            started.map_err(|e| KindError::new(format!("Could not listen at {interface}: {e}")))?;
        hub.put(name, Some(Box::new(server)));
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
