//! `mgmt::dhcp::server` and the addresses that it gives: a server of DHCP for IPv4.

mod answer;
mod host;
mod leases;
mod listener;
mod packet;
mod range;
mod server;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ordain_functions::go;

use super::params::Params;
use super::serving::{Hub, Parts};
use crate::registry::Registry;

/// Addresses by DHCP.
struct Dhcp;

impl Parts for Dhcp {
    type Settings = server::Settings;
    type What = Part;
}

/// What a server has to give.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Host(host::Fixed),
    Range(range::Range),
}

/// Adds the kinds.
pub(crate) fn register(registry: &mut Registry) {
    let hub: Arc<Hub<Dhcp>> = Arc::default();
    registry.add(Box::new(host::Host::new(&hub)));
    registry.add(Box::new(range::Ranges::new(&hub)));
    registry.add(Box::new(server::Server::new(&hub)));
}

/// What a client boots from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Boot {
    /// The server.
    server: Option<String>,
    /// The file on it.
    file: Option<String>,
}

impl Boot {
    /// What the attributes of a resource say: an address of TFTP, and a path in place of its own.
    fn of(p: &mut Params<'_>) -> Self {
        let mut boot = Self::default();
        if let Some(url) = p.text("nbp").filter(|url| !url.is_empty()) {
            match go::url::parse(&url) {
                Ok(url) if url.scheme == "tftp" => {
                    let path = String::from_utf8_lossy(&url.path).into_owned();
                    boot = Self { server: Some(url.host), file: Some(path) };
                }
                Ok(url) if url.scheme.is_empty() => p.error("nbp", "missing nbp scheme"),
                Ok(_) => p.error("nbp", "the scheme must be `tftp` for DHCPv4"),
                Err(error) => p.error("nbp", format!("invalid nbp URL: {error}")),
            }
        }
        if let Some(path) = p.text("nbp_path").filter(|path| !path.is_empty()) {
            boot.file = Some(path);
        }
        let is_nothing = |text: &Option<String>| text.as_ref().is_some_and(String::is_empty);
        if is_nothing(&boot.server) {
            boot.server = None;
        }
        if is_nothing(&boot.file) {
            boot.file = None;
        }
        boot
    }

    /// The same, with what is not said here from what holds for all.
    fn or(&self, all: &Self) -> Self {
        let or = |own: &Option<String>, all: &Option<String>| own.clone().or_else(|| all.clone());
        Self { server: or(&self.server, &all.server), file: or(&self.file, &all.file) }
    }
}

/// An address of version 4.
fn v4(address: IpAddr) -> Option<Ipv4Addr> {
    match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(address) => address.to_ipv4_mapped(),
    }
}

/// A mask with this many bits.
fn mask(length: u8) -> Ipv4Addr {
    let bits = u32::from(length.min(32));
    Ipv4Addr::from_bits(u32::MAX.checked_shl(32 - bits).unwrap_or(0))
}

/// The server that a part is of; all of them if it is not said.
fn server_of(p: &mut Params<'_>) -> String {
    p.text("server").unwrap_or_default()
}
