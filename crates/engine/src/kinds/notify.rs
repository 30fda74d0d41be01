//! `notify`: writes a message to the log. It has no state, so it always counts as a change.

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::params::{Params, reveal};
use crate::kind::report::quoted;
use crate::kind::{
    Action, Change, Instance, Kind, KindError, LogLine, LogSource, ParseContext, ParseResult,
};
use crate::system::host::Host;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notify;

impl Kind for Notify {
    fn schema(&self) -> &KindSchema {
        &graph::NOTIFY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut attributes = Params::new(resource);
        // Of a list the first item is used, as for every property with a single value.
        let first = |value: &Value| match value {
            Value::List(items) => items.first().map(|item| reveal(item).0.clone()),
            other => Some(other.clone()),
        };
        let message = attributes.raw("message").and_then(first).unwrap_or_else(|| {
            Value::str(attributes.text("name").unwrap_or_else(|| attributes.title().to_string()))
        });
        let secret = attributes.is_secret("message");
        let with_path = attributes.boolean("withpath");
        let refreshonly = attributes.boolean("refreshonly");
        let log = Default::default();
        let message = Message { message, secret, with_path, refreshonly, log };
        attributes.finish(Box::new(message) as Box<dyn Instance>)
    }
}

fn message_text(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("{value:?}"), str::to_string)
}

struct Message {
    message: Value,
    secret: bool,
    with_path: bool,
    refreshonly: bool,
    log: std::sync::Mutex<Vec<LogLine>>,
}

impl Instance for Message {
    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        if self.refreshonly {
            return Ok(Vec::new());
        }
        let (after, message) = if self.secret {
            let secret = Value::Secret(self.message.clone().into());
            (secret, "changed [redacted] to [redacted]".to_string())
        } else {
            let message = format!("defined 'message' as {}", quoted(&self.message));
            (self.message.clone(), message)
        };
        Ok(vec![Change {
            action: Action::Run,
            property: "message".into(),
            before: Value::Null,
            after,
            text: None,
            message,
        }])
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        let shown = if self.secret { "[redacted]".into() } else { message_text(&self.message) };
        let source = if self.with_path { LogSource::Property("message") } else { LogSource::Bare };
        let line = LogLine { level: None, source, message: shown };
        self.log.lock().unwrap_or_else(|e| e.into_inner()).push(line);
        Ok(())
    }

    fn refreshable(&self) -> bool {
        self.refreshonly
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.apply(host, &[])
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(|e| e.into_inner()))
    }
}
