//! `mgmt::dhcp::host`: the address of one machine.

use std::net::Ipv4Addr;
use std::sync::Arc;

use ordain_functions::go;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use super::model::{Assignment, Boot, Dhcp, FixedAddress, mask, server_of, v4};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::serving::{Claim, Hub, Spec};

pub(super) const KIND: &str = "mgmt::dhcp::host";

/// The kind.
pub(super) struct Host {
    hub: Arc<Hub<Dhcp>>,
}

impl Host {
    pub(super) fn new(hub: &Arc<Hub<Dhcp>>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

/// The address of a host and its prefix length.
pub(super) fn address(text: &str) -> Result<(Ipv4Addr, u8), String> {
    let (ip, length) =
        go::net::parse_cidr(text).map_err(|e| format!("invalid IP/CIDR address: {e}"))?;
    let ip = v4(ip).filter(|_| length <= 32).ok_or("only IPv4 is currently supported")?;
    Ok((ip, length))
}

impl Kind for Host {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_DHCP_HOST
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mac = p.text("mac").unwrap_or_default();
        let hardware = match go::net::parse_mac(&mac) {
            Ok(bytes) if go::net::mac(&bytes) == mac => bytes,
            Ok(bytes) => {
                let shown = go::net::mac(&bytes);
                let text = format!("the mac address is not in the canonical format of: {shown}");
                p.error("mac", text);
                Vec::new()
            }
            Err(error) => {
                p.error("mac", format!("invalid mac address: {error}"));
                Vec::new()
            }
        };
        let text = p.text("ip").unwrap_or_default();
        let (ip, length) = address(&text).unwrap_or_else(|error| {
            p.error("ip", error);
            (Ipv4Addr::UNSPECIFIED, 0)
        });
        let fixed = FixedAddress { hardware, ip, mask: mask(length), boot: Boot::of(&mut p) };
        let declared = AssignmentInstance {
            claim: Claim::new(&self.hub, KIND, &resource.id.title),
            spec: Spec {
                server: server_of(&mut p),
                path: String::new(),
                what: Assignment::Host(fixed),
            },
            description: format!("{text} is given to {mac}"),
        };
        p.finish(Box::new(declared) as Box<dyn Instance>)
    }
}

/// A part of a server as it is declared.
pub(super) struct AssignmentInstance {
    pub(super) claim: Claim<Dhcp>,
    pub(super) spec: Spec<Assignment>,
    /// Its effect, for the log.
    pub(super) description: String,
}

impl Instance for AssignmentInstance {
    fn compare(&self, host: &crate::system::host::Host) -> Result<Vec<Change>, KindError> {
        if !self.claim.stays(host, &self.description) {
            return Ok(Vec::new());
        }
        Ok(self.claim.compare(&self.spec, "address"))
    }

    fn apply(&self, _: &crate::system::host::Host, _: &[Change]) -> Result<(), KindError> {
        self.claim.serve(self.spec.clone());
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
