//! A machine that serves during a watch, and clients of its servers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ordain_data::Value;
use ordain_engine::kind::Registry;
use ordain_engine::kind::{Instance, ParseContext};
use ordain_graph::ServedFiles;

use super::{Machine, resource};

/// A watched machine, and all kinds.
pub(crate) struct WatchedMachine {
    pub machine: Machine,
    pub registry: Registry,
}

impl WatchedMachine {
    pub(crate) fn new() -> Self {
        let mut machine = Machine::silent();
        machine.host.stays = true;
        Self { machine, registry: Registry::default() }
    }

    pub(crate) fn parse(
        &self,
        kind: &str,
        title: &str,
        attributes: &[(&str, Value)],
    ) -> Box<dyn Instance> {
        self.try_parse(kind, title, attributes).unwrap()
    }

    pub(crate) fn try_parse(
        &self,
        kind: &str,
        title: &str,
        attributes: &[(&str, Value)],
    ) -> Result<Box<dyn Instance>, String> {
        let context = ParseContext {
            resolve_source: &|_| None,
            find: &|_| None,
            files: &std::sync::Arc::default,
            of_kind: &|_| Vec::new(),
            registry: &std::sync::Arc::default(),
            served: &ServedFiles::default(),
            graph: &ordain_graph::Graph::default(),
            graph_number: 0,
            without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
        };
        let parsed = self.registry.get(kind).unwrap();
        parsed.parse(&resource(kind, title, attributes), &context).map_err(|e| format!("{e:?}"))
    }

    /// Parses and applies a resource.
    pub(crate) fn made(
        &self,
        kind: &str,
        title: &str,
        attributes: &[(&str, Value)],
    ) -> Box<dyn Instance> {
        let instance = self.parse(kind, title, attributes);
        self.machine.converge(&*instance);
        instance
    }

    pub(crate) fn address(&self, server: &dyn Instance) -> SocketAddr {
        let sent = server.sent(&self.machine.host).unwrap();
        sent[0].1.as_str().unwrap().parse().unwrap()
    }
}

/// The complete response of a server to this text.
pub(crate) fn ask(address: SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut out = Vec::new();
    stream.read_to_end(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn get(address: SocketAddr, path: &str, more: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: h\r\n{more}Connection: close\r\n\r\n"))
}

/// The status and the body of an answer.
pub(crate) fn parts(answer: &str) -> (&str, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (&head[9..12], body)
}

pub(crate) fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let line = answer.lines().find(|line| line.starts_with(name)).unwrap();
    line[name.len() + 1..].trim()
}
