//! `mgmt::msg`: a message for the log, the journal and the syslog of the machine.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::params::{Params, scalar};
use crate::kind::{
    Action, Change, Instance, Kind, KindError, Level, LogLine, LogSource, ParseContext, ParseResult,
};
use crate::system::host::Host;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Msg;

/// The priorities, from 0 on.
const PRIORITIES: [&str; 8] =
    ["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"];

const JOURNAL: &str = "/run/systemd/journal/socket";
const SYSLOG: &str = "/dev/log";
/// The syslog facility of services.
const DAEMON: usize = 3;

impl Kind for Msg {
    fn schema(&self) -> &KindSchema {
        &graph::MGMT_MSG
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let priority = p.choice("priority");
        let priority = priority.and_then(|word| PRIORITIES.iter().position(|p| *p == word));
        let mut fields = BTreeMap::new();
        if let Some(Value::Map(map)) = p.raw("fields") {
            for (name, value) in map.iter() {
                let name = scalar(name).unwrap_or_default();
                let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !is_name || name.is_empty() || name.starts_with('_') {
                    p.error("fields", format!("'{name}' is not a valid journal field"));
                }
                fields.insert(name.to_ascii_uppercase(), scalar(value).unwrap_or_default());
            }
        }
        let message = Message {
            body: p.text("body").unwrap_or_default(),
            // A notice, as in the log of this program.
            priority: priority.unwrap_or(5),
            fields,
            journal: p.boolean("journal"),
            syslog: p.boolean("syslog"),
            is_secret: !p.secrets().is_empty(),
            log: Mutex::default(),
        };
        p.finish(Box::new(message) as Box<dyn Instance>)
    }
}

struct Message {
    body: String,
    priority: usize,
    fields: BTreeMap<String, String>,
    journal: bool,
    syslog: bool,
    is_secret: bool,
    log: Mutex<Vec<LogLine>>,
}

impl Message {
    fn send(&self, host: &Host, to: &str, packet: &[u8]) -> Result<(), KindError> {
        let failed = |e: io::Error| KindError::new(format!("Could not write to {to}: {e}"));
        let socket = UnixDatagram::unbound().map_err(failed)?;
        socket.send_to(packet, host.path(Path::new(to))).map_err(failed)?;
        Ok(())
    }

    /// The message in the journal's native protocol: lines of fields, with lengths for multi-line
    /// values.
    fn journal_packet(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut field = |name: &str, value: &str| {
            out.extend_from_slice(name.as_bytes());
            if value.contains('\n') {
                out.push(b'\n');
                out.extend_from_slice(&(value.len() as u64).to_le_bytes());
            } else {
                out.push(b'=');
            }
            out.extend_from_slice(value.as_bytes());
            out.push(b'\n');
        };
        field("MESSAGE", &self.body);
        field("PRIORITY", &self.priority.to_string());
        field("SYSLOG_IDENTIFIER", "ordain");
        self.fields.iter().for_each(|(name, value)| field(name, value));
        out
    }

    fn level(&self) -> Level {
        match self.priority {
            0..=3 => Level::Error,
            4 => Level::Warning,
            5 => Level::Notice,
            6 => Level::Info,
            _ => Level::Debug,
        }
    }

    fn shown(&self) -> String {
        if self.is_secret { "[redacted]".into() } else { self.body.clone() }
    }
}

impl Instance for Message {
    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(vec![Change {
            action: Action::Run,
            property: "body".into(),
            before: Value::Null,
            after: Value::str(self.shown()),
            text: None,
            message: format!("said \"{}\"", self.shown()),
        }])
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let line =
            LogLine { level: Some(self.level()), source: LogSource::Bare, message: self.shown() };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        if self.journal {
            self.send(host, JOURNAL, &self.journal_packet())?;
        }
        if self.syslog {
            let number = DAEMON * 8 + self.priority;
            let packet = format!("<{number}>ordain[{}]: {}", std::process::id(), self.body);
            self.send(host, SYSLOG, packet.as_bytes())?;
        }
        Ok(())
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.apply(host, &[])
    }

    fn is_fresh_after(&self, changes: &[Change]) -> bool {
        !changes.is_empty()
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
