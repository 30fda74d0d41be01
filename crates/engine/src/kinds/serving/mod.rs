//! What this process serves to others, and only while it keeps a machine: what servers of several
//! protocols have in common.

mod content;
mod file;
mod hub;
mod listener;
mod server;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) use content::open_within;
pub use file::ServedFile;
pub(super) use hub::{Claim, Field, Hub, Page, Parts, Route, Source, Spec, Upstream, What};
pub(super) use listener::{Listener, Serving};
pub use server::Server;

use super::http::{Flag, HTTP, Input, Proxy, Ui};
use super::tftp::TFTP;
use crate::kind::{AttributeDoc, Level, LogLine, LogSource};
use crate::registry::Registry;

/// Adds the kinds of all protocols.
pub(crate) fn register(registry: &mut Registry) {
    for protocol in [&HTTP, &TFTP] {
        let hub = Arc::default();
        registry.add(Box::new(Server::new(protocol, &hub)));
        registry.add(Box::new(ServedFile::new(protocol, &hub)));
        if protocol.server.name == HTTP.server.name {
            registry.add(Box::new(Flag::new(&hub)));
            registry.add(Box::new(Proxy::new(&hub)));
            registry.add(Box::new(Ui::new(&hub)));
            registry.add(Box::new(Input::new(&hub)));
        }
    }
}

/// A way to serve.
pub(super) struct Protocol {
    pub(super) server: Face,
    /// What is served.
    pub(super) file: Face,
    /// How many seconds clients have where nothing is said.
    pub(super) patience: u64,
    pub(super) start: Start,
}

/// What a kind says of itself.
pub(super) struct Face {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) attributes: &'static [AttributeDoc],
}

/// Starts a server of this name on a machine with this root.
type Start = fn(&Arc<Hub>, &str, Settings, PathBuf) -> io::Result<Box<dyn Serves>>;

/// A server that runs until this is dropped; its address is free again then.
pub(super) trait Serves<S = Settings>: Send {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// How it is set, if it still runs.
    fn settings(&self) -> Option<&S>;
}

/// How a server is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// Where it listens, as it is written.
    pub(super) address: String,
    /// How long a request may take to come.
    pub(super) read: Duration,
    /// How long a client may take to take some of an answer.
    pub(super) write: Duration,
    /// What it serves besides: the directory, in whole.
    pub(super) root: Option<PathBuf>,
}

/// What a run says of a server that it cannot leave behind.
pub(super) fn only_while_kept(what: &str) -> LogLine {
    let message = format!("{what} only while `ordain watch` keeps this machine");
    LogLine { level: Some(Level::Notice), source: LogSource::Resource, message }
}

/// Where an address leads: a host may be left out, and is then any of this machine.
pub(super) fn parse_address(text: &str) -> Result<(Option<IpAddr>, u16), String> {
    let wrong = || format!("the address is in an invalid format: {text}");
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port = port.parse().map_err(|_| wrong())?;
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = match (inner, host) {
        (_, "") => None,
        (Some(inner), _) => Some(IpAddr::V6(inner.parse().map_err(|_| wrong())?)),
        (None, host) => Some(IpAddr::V4(host.parse().map_err(|_| wrong())?)),
    };
    Ok((host, port))
}

/// Binds a socket to an address.
pub(super) fn bound<T>(address: &str, bind: impl Fn(SocketAddr) -> io::Result<T>) -> io::Result<T> {
    let (host, port) = parse_address(address).map_err(io::Error::other)?;
    match host {
        Some(host) => bind((host, port).into()),
        // Where there is the newer version, it has the older one with it.
        None => bind((Ipv6Addr::UNSPECIFIED, port).into())
            .or_else(|_| bind((Ipv4Addr::UNSPECIFIED, port).into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port() {
        assert_eq!(parse_address(":80"), Ok((None, 80)));
        assert_eq!(parse_address("127.0.0.1:80"), Ok((Some(Ipv4Addr::LOCALHOST.into()), 80)));
        assert_eq!(parse_address("[::1]:80"), Ok((Some(Ipv6Addr::LOCALHOST.into()), 80)));
        for bad in ["", "80", "127.0.0.1", "::1:80", "localhost:80", ":65536", "[1.2.3.4]:1"] {
            assert!(parse_address(bad).is_err(), "{bad}");
        }
    }
}
