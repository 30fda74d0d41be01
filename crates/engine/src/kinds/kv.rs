//! `mgmt::kv`: a value of the shared world.

use std::sync::atomic::{AtomicBool, Ordering};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::shared_kv::Key;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kv;

impl Kind for Kv {
    fn schema(&self) -> &KindSchema {
        &graph::MGMT_KV
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let key = p.text("key").filter(|key| !key.is_empty()).unwrap_or_else(|| p.name());
        let host = p.text("host").unwrap_or_default();
        let mapped = p.boolean("mapped");
        let value = p.text("value");
        let style = p.integer("skipcmpstyle", "skipcmpstyle must be 0 or 1").unwrap_or(0);
        let keeps = p.boolean("skiplessthan");
        let order = match (keeps, style) {
            (false, _) => None,
            (true, 0) => Some(Order::Numbers),
            (true, 1) => Some(Order::Texts),
            (true, _) => {
                p.error("skipcmpstyle", "skipcmpstyle must be 0 or 1");
                None
            }
        };
        if let (Some(Order::Numbers), Some(value)) = (order, &value)
            && value.parse::<i64>().is_err()
        {
            p.error("value", format!("'{value}' is not an integer"));
        }
        let entry = Entry {
            key: Key::new(&key),
            host: mapped.then_some(host),
            value,
            order,
            secrets: p.secrets(),
            is_refreshed: AtomicBool::new(false),
        };
        p.finish(Box::new(entry) as Box<dyn Instance>)
    }
}

#[derive(Clone, Copy)]
enum Order {
    Numbers,
    Texts,
}

struct Entry {
    key: Key,
    /// The host whose value it is, if each host has its own.
    host: Option<String>,
    value: Option<String>,
    order: Option<Order>,
    secrets: Vec<String>,
    /// Whether a larger value is replaced.
    is_refreshed: AtomicBool,
}

impl Entry {
    /// Whether an existing value is kept.
    fn stays(&self, now: &str, wanted: &str) -> bool {
        now == wanted
            || !self.is_refreshed.load(Ordering::Relaxed)
                && match self.order {
                    None => false,
                    Some(Order::Texts) => wanted < now,
                    // A value that is no number was written by something else.
                    Some(Order::Numbers) => matches!(
                        (wanted.parse::<i64>(), now.parse::<i64>()),
                        (Ok(wanted), Ok(now)) if wanted < now
                    ),
                }
    }
}

impl Instance for Entry {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.key.path().to_path_buf())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&self.secrets);
        let text = |text: &str| Value::str(text);
        match (self.key.get(host, self.host.as_deref())?, &self.value) {
            (Some(now), Some(wanted)) if !self.stays(&now, wanted) => {
                differences.property("value", text(&now), text(wanted));
            }
            (None, Some(wanted)) => differences.property("value", Value::Null, text(wanted)),
            (Some(now), None) => differences.property("value", text(&now), Value::Null),
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.key.set(host, self.host.as_deref(), self.value.as_deref(), None)
    }

    fn refreshable(&self) -> bool {
        true
    }

    /// A larger value is replaced once.
    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.is_refreshed.store(true, Ordering::Relaxed);
        let changes = self.compare(host);
        self.is_refreshed.store(false, Ordering::Relaxed);
        self.apply(host, &changes?)
    }
}
