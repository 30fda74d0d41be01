//! Building the list of changes with the texts that logs show.

use std::sync::Arc;

use ordain_data::Value;

use crate::kind::change::{Action, Change};
use crate::kind::report::quoted;

/// Changes of one resource. Values of secret attributes are redacted.
#[derive(Default)]
pub(crate) struct Differences<'a> {
    secrets: &'a [String],
    changes: Vec<Change>,
}

impl<'a> Differences<'a> {
    /// Starts without changes; the values of the attributes in `secrets` are redacted.
    pub(crate) fn new(secrets: &'a [String]) -> Self {
        Self { secrets, changes: Vec::new() }
    }

    /// The changes.
    pub(crate) fn finish(self) -> Vec<Change> {
        self.changes
    }

    /// Records that a property differs; [`Value::Null`] stands for an absent value.
    pub(crate) fn property(&mut self, name: &str, before: Value, after: Value) {
        let message = match (before.is_null(), after.is_null()) {
            (true, _) => format!("defined '{name}' as {}", quoted(&after)),
            (_, true) => format!("undefined '{name}' from {}", quoted(&before)),
            _ => format!("{name} changed {} to {}", quoted(&before), quoted(&after)),
        };
        self.property_as(name, before, after, message);
    }

    /// As [`Differences::property`], with its own log line.
    pub(crate) fn property_as(&mut self, name: &str, before: Value, after: Value, message: String) {
        let secret = self.secrets.iter().any(|s| s == name) || is_secret(&before, &after);
        let (before, after, message) = if secret {
            (cover(before), cover(after), "changed [redacted] to [redacted]".to_string())
        } else {
            (before, after, message)
        };
        self.push(Action::Modify, name, before, after, message);
    }

    /// Records that the resource has to be created or removed. Returns its state if it exists and
    /// should, so that the caller compares its properties.
    pub(crate) fn ensure<T>(&mut self, now: Option<T>, present: bool) -> Option<T> {
        match (now, present) {
            (Some(now), true) => return Some(now),
            (None, true) => self.create("absent", Value::str("present")),
            (Some(_), false) => self.remove(Value::str("present"), "absent", "removed"),
            (None, false) => {}
        }
        None
    }

    /// Records that the resource does not exist and should.
    pub(crate) fn create(&mut self, before: &str, after: Value) {
        let before = Value::str(before);
        self.push(Action::Create, "ensure", before, after, "created".to_string());
    }

    /// As [`Differences::create`], with its own log line.
    pub(crate) fn create_as(&mut self, before: &str, after: Value, message: String) {
        self.push(Action::Create, "ensure", Value::str(before), after, message);
    }

    /// Records that the resource exists and should be absent.
    pub(crate) fn remove(&mut self, before: Value, after: &str, message: &str) {
        self.push(Action::Remove, "ensure", before, Value::str(after), message.to_string());
    }

    fn push(&mut self, action: Action, name: &str, before: Value, after: Value, message: String) {
        let property = name.to_string();
        self.changes.push(Change { action, property, before, after, text: None, message });
    }
}

fn is_secret(before: &Value, after: &Value) -> bool {
    matches!(before, Value::Secret(_)) || matches!(after, Value::Secret(_))
}

fn cover(value: Value) -> Value {
    match value {
        Value::Secret(_) => value,
        other => Value::Secret(Arc::new(other)),
    }
}

/// Whether a property is among the changes.
pub(crate) fn changes(changes: &[Change], property: &str) -> bool {
    changes.iter().any(|c| c.property == property)
}

/// A list of texts as a value.
pub(crate) fn texts<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> Value {
    Value::list(items.into_iter().map(|s| Value::str(s.as_ref())))
}
