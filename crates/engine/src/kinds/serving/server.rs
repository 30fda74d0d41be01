//! The kinds of file servers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::KindSchema;

use super::hub::{Claim, Hub};
use super::protocol::Protocol;
use super::settings::{Settings, parse_address};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind of a protocol.
pub struct Server {
    hub: Arc<Hub>,
    protocol: &'static Protocol,
}

impl Server {
    /// The kind, with the routes of its servers.
    pub(in crate::kinds) fn new(protocol: &'static Protocol, hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub), protocol }
    }
}

impl Kind for Server {
    fn schema(&self) -> &KindSchema {
        self.protocol.server
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let address = p.text("address").filter(|text| !text.is_empty());
        let address = address.unwrap_or_else(|| p.name());
        if let Err(why) = parse_address(&address) {
            p.error("address", why);
        }
        let root = p.text("root").filter(|root| !root.is_empty());
        if root.as_ref().is_some_and(|root| !root.starts_with('/') || !root.ends_with('/')) {
            p.error("root", "root must be absolute and end with a slash");
        }
        let mut seconds = |name: &str| {
            let number = p.integer(name, &format!("{name} must be a number of seconds"));
            number.and_then(|number| u64::try_from(number).ok())
        };
        let (timeout, read, write) =
            (seconds("timeout"), seconds("read_timeout"), seconds("write_timeout"));
        let default = self.protocol.timeout;
        let timeout = |own: Option<u64>| {
            let seconds = own.or(timeout).filter(|seconds| *seconds > 0).unwrap_or(default);
            Duration::from_secs(seconds.min(3600))
        };
        let (read, write) = (timeout(read), timeout(write));
        let server = ServerInstance {
            claim: Claim::new(&self.hub, self.protocol.server.name, &resource.id.title),
            protocol: self.protocol,
            settings: Settings { address, read, write, root: root.map(PathBuf::from) },
        };
        p.finish(Box::new(server) as Box<dyn Instance>)
    }
}

struct ServerInstance {
    claim: Claim,
    protocol: &'static Protocol,
    settings: Settings,
}

impl ServerInstance {
    fn settings(&self, host: &Host) -> Settings {
        let root = self.settings.root.as_ref().map(|root| host.path(root));
        Settings { root, ..self.settings.clone() }
    }
}

impl Instance for ServerInstance {
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let wanted = self.settings(host);
        if let Some(root) = &wanted.root
            && !root.is_dir()
        {
            return Err(KindError::new(format!("{} is not a directory", root.display())));
        }
        let address = &self.settings.address;
        if !self.claim.stays(host, &format!("{address} is served")) {
            return Ok(Vec::new());
        }
        let name = self.claim.name();
        let now = self.claim.hub().server(name, |server| server.settings().cloned());
        let mut differences = Differences::new(&[]);
        match now.flatten() {
            None => differences.create("stopped", Value::str(format!("serving {address}"))),
            Some(now) if now != wanted => {
                let text = |s: &Settings| Value::str(format!("serving {}", s.address));
                differences.property("settings", text(&now), text(&wanted));
            }
            Some(_) => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let (hub, name) = (self.claim.hub(), self.claim.name());
        // The address is free for the new one.
        hub.put(name, None);
        let start = self.protocol.start;
        let started = start(hub, &name.title, self.settings(host), host.root.clone());
        let server = started.map_err(|e| {
            KindError::new(format!("Could not listen at {}: {e}", self.settings.address))
        })?;
        hub.put(name, Some(server));
        Ok(())
    }

    fn sent(&self, _: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        let address = self.claim.hub().server(self.claim.name(), |server| server.address());
        Ok(address
            .map(|address| ("address", Value::str(address.to_string())))
            .into_iter()
            .collect())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
