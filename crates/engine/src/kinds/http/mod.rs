//! `mgmt::http::server` and what it serves.

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

use crate::kind::AttributeDoc;
use crate::kinds::serving::{KindMeta, Listener, Protocol};

/// The protocol.
pub(super) static HTTP: Protocol = Protocol {
    server: KindMeta {
        name: "mgmt::http::server",
        doc: "Serves files by HTTP while the machine is kept",
        attributes: &[
            AttributeDoc { name: "name", doc: "Where it listens, if `address` does not say it" },
            AttributeDoc { name: "address", doc: "Where it listens: `:8080` or `127.0.0.1:80`" },
            AttributeDoc { name: "read_timeout", doc: "Seconds that a request may take to come" },
            AttributeDoc {
                name: "root",
                doc: "A directory that is served, with a slash at its end",
            },
            AttributeDoc {
                name: "shutdown_timeout",
                doc: "Accepted: the socket is given back at once",
            },
            AttributeDoc { name: "timeout", doc: "Seconds for both; 60 by default" },
            AttributeDoc { name: "write_timeout", doc: "Seconds that a client may take to read" },
        ],
    },
    file: KindMeta {
        name: "mgmt::http::server::file",
        doc: "Something that a server of HTTP serves",
        attributes: &[
            AttributeDoc {
                name: "name",
                doc: "Its path on the server, if `filename` does not say it",
            },
            AttributeDoc { name: "data", doc: "What is served" },
            AttributeDoc { name: "filename", doc: "Its path on the server" },
            AttributeDoc { name: "longpoll", doc: "Whether one can wait until it changes" },
            AttributeDoc {
                name: "path",
                doc: "The file that is served, or a directory with a slash",
            },
            AttributeDoc { name: "server", doc: "The server; all of them by default" },
        ],
    },
    timeout: 60,
    start: |hub, name, settings, machine| {
        let listen = listener::accept;
        Ok(Box::new(Listener::bind(hub, name, settings, machine, "http", listen)?))
    },
};
