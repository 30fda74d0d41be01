//! The client of a connection.

use std::net::SocketAddr;

use crate::identity::Identity;

/// The client of a connection.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) identity: Option<Identity>,
    pub(crate) address: SocketAddr,
    pub(crate) listener: Listener,
}

/// The listener that accepted a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listener {
    /// The address for agents.
    Agents,
    /// The address of metrics.
    Monitoring,
    /// The address of PuppetDB's API, with TLS.
    PuppetDb,
    /// The address of PuppetDB's API, without encryption on a loopback address.
    LocalPuppetDb,
}
