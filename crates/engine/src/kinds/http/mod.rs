//! `mgmt::http::server` and the content that it serves.

mod client;
mod connection;
pub(in crate::kinds) mod content;
pub(crate) mod fetch;
mod flag;
mod listener;
mod long_poll;
mod message;
mod proxy;
mod ui;
mod waiting;

pub use client::Client;
pub use flag::Flag;
pub use proxy::Proxy;
pub use ui::{Input, Ui};

use ordain_kinds::network;

use crate::kinds::serving::{Listener, Protocol};

/// The protocol.
pub(super) static HTTP: Protocol = Protocol {
    server: &network::MGMT_HTTP_SERVER,
    file: &network::MGMT_HTTP_SERVER_FILE,
    timeout: 60,
    start: |hub, name, settings, machine| {
        let listen = listener::accept;
        Ok(Box::new(Listener::bind(hub, name, settings, machine, "http", listen)?))
    },
};
