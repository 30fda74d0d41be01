//! Settings of a server, and the hosts and ranges that it serves.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use ordain_functions::go;

use crate::kind::params::Params;
use crate::kinds::serving::Parts;

/// Addresses by DHCP.
pub(super) struct Dhcp;

impl Parts for Dhcp {
    type Settings = Settings;
    type Content = Assignment;
}

/// An assignment of addresses by a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Assignment {
    Host(FixedAddress),
    Range(Range),
}

/// The boot server and boot file of a client.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Boot {
    /// The server.
    pub(super) server: Option<String>,
    /// The file on it.
    pub(super) file: Option<String>,
}

impl Boot {
    /// Reads `nbp`, a TFTP address, and `nbp_path`, which replaces its path.
    pub(super) fn of(p: &mut Params<'_>) -> Self {
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

    /// The same settings, with defaults from those for all.
    pub(super) fn or(&self, all: &Self) -> Self {
        let or = |own: &Option<String>, all: &Option<String>| own.clone().or_else(|| all.clone());
        Self { server: or(&self.server, &all.server), file: or(&self.file, &all.file) }
    }
}

/// An address of version 4.
pub(super) fn v4(address: IpAddr) -> Option<Ipv4Addr> {
    match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(address) => address.to_ipv4_mapped(),
    }
}

/// A mask with this many bits.
pub(super) fn mask(length: u8) -> Ipv4Addr {
    let bits = u32::from(length.min(32));
    Ipv4Addr::from_bits(u32::MAX.checked_shl(32 - bits).unwrap_or(0))
}

/// The server that a host or range belongs to; `None` for all.
pub(super) fn server_of(p: &mut Params<'_>) -> String {
    p.text("server").unwrap_or_default()
}

/// A known machine with its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FixedAddress {
    pub(super) hardware: Vec<u8>,
    pub(super) ip: Ipv4Addr,
    pub(super) mask: Ipv4Addr,
    pub(super) boot: Boot,
}

/// A range of addresses with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) from: Ipv4Addr,
    pub(super) to: Ipv4Addr,
    pub(super) mask: Ipv4Addr,
    pub(super) skip: BTreeSet<Ipv4Addr>,
    pub(super) persist: bool,
    pub(super) boot: Boot,
}

impl Range {
    /// Whether the range contains an address.
    pub(super) fn has(&self, ip: Ipv4Addr) -> bool {
        (self.from..=self.to).contains(&ip) && !self.is_special(ip) && !self.skip.contains(&ip)
    }

    /// The network address and the broadcast address belong to no machine.
    fn is_special(&self, ip: Ipv4Addr) -> bool {
        let (mask, bits) = (self.mask.to_bits(), ip.to_bits());
        let is_wide = mask.count_zeros() > 1;
        is_wide && (bits & !mask == 0 || bits | mask == u32::MAX)
    }

    /// Whether an address is in the same network.
    pub(super) fn is_near(&self, ip: Ipv4Addr) -> bool {
        let mask = self.mask.to_bits();
        ip.to_bits() & mask == self.from.to_bits() & mask
    }

    /// The addresses that may be given, in order.
    pub(super) fn addresses(&self) -> impl Iterator<Item = Ipv4Addr> {
        let all = self.from.to_bits()..=self.to.to_bits();
        all.map(Ipv4Addr::from_bits).filter(|ip| self.has(*ip))
    }
}

/// The settings of a server.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Settings {
    pub(super) interface: String,
    /// The number of the interface; an interface that was created again has another one.
    pub(super) index: u32,
    pub(super) port: u16,
    /// The server identifier.
    pub(super) id: Option<Ipv4Addr>,
    /// The lease time in seconds; unlimited if `None`.
    pub(super) lease: Option<u64>,
    /// Whether answers contain the lease time.
    pub(super) has_lease: bool,
    pub(super) dns: Vec<Ipv4Addr>,
    pub(super) routers: Vec<Ipv4Addr>,
    pub(super) boot: Boot,
}
