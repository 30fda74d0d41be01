//! `mgmt::tftp::server` and what it serves.

mod listener;
mod packet;
mod transfer;

use crate::kind::AttributeDoc;
use crate::kinds::serving::{KindMeta, Listener, Protocol};

/// The protocol.
pub(super) static TFTP: Protocol = Protocol {
    server: KindMeta {
        name: "mgmt::tftp::server",
        doc: "Serves files by TFTP while the machine is kept",
        attributes: &[
            AttributeDoc { name: "name", doc: "Where it listens, if `address` does not say it" },
            AttributeDoc { name: "address", doc: "Where it listens: `:69` or `127.0.0.1:69`" },
            AttributeDoc {
                name: "root",
                doc: "A directory that is served, with a slash at its end",
            },
            AttributeDoc {
                name: "timeout",
                doc: "Seconds until something is sent again; 5 by default",
            },
        ],
    },
    file: KindMeta {
        name: "mgmt::tftp::file",
        doc: "Something that a server of TFTP serves",
        attributes: &[
            AttributeDoc {
                name: "name",
                doc: "Its name on the server, if `filename` does not say it",
            },
            AttributeDoc { name: "data", doc: "What is served" },
            AttributeDoc { name: "filename", doc: "Its name on the server" },
            AttributeDoc { name: "path", doc: "The file that is served" },
            AttributeDoc { name: "server", doc: "The server; all of them by default" },
        ],
    },
    timeout: 5,
    start: |hub, name, settings, machine| {
        let listen = listener::listen;
        Ok(Box::new(Listener::bind(hub, name, settings, machine, "tftp", listen)?))
    },
};
