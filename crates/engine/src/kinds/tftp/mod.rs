//! `mgmt::tftp::server` and the content that it serves.

mod listener;
mod packet;
mod transfer;

use ordain_kinds::network;

use crate::kinds::serving::{Listener, Protocol};

/// The protocol.
pub(super) static TFTP: Protocol = Protocol {
    server: &network::MGMT_TFTP_SERVER,
    file: &network::MGMT_TFTP_FILE,
    timeout: 5,
    start: |hub, name, settings, machine| {
        let listen = listener::listen;
        Ok(Box::new(Listener::bind(hub, name, settings, machine, "tftp", listen)?))
    },
};
