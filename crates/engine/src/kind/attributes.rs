//! Reads attributes into the types that kinds use, and collects the errors.

use std::sync::Arc;

use base64::Engine as _;
use ordain_data::Value;
use ordain_functions::float::to_ruby;
use ordain_graph::transfer::{self, WATCH_ATTRIBUTES};
use ordain_graph::{METAPARAMETERS, Resource};

use crate::kind::error::AttributeError;

/// The attributes of a resource while a kind reads them.
pub struct Attributes<'a> {
    resource: &'a Resource,
    /// The errors found so far.
    pub errors: Vec<AttributeError>,
}

/// The value inside a secret, and whether it was one.
pub fn reveal(value: &Value) -> (&Value, bool) {
    match value {
        Value::Secret(inner) => (reveal(inner).0, true),
        other => (other, false),
    }
}

/// Text for a scalar: numbers and booleans as they are written.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::Str(s) => Some(s.to_string()),
        Value::Int(i) => Some(i.to_string()),
        Value::BigInt(digits) => Some(digits.to_string()),
        Value::Float(x) => Some(to_ruby(*x)),
        Value::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

/// The name of a value's type in the words of the language, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "Undef",
        Value::Bool(_) => "Boolean",
        Value::Int(_) | Value::BigInt(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Bytes(_) => "Binary",
        Value::List(_) => "Array",
        Value::Map(_) => "Hash",
        Value::Secret(_) => "Sensitive",
    }
}

impl<'a> Attributes<'a> {
    /// Starts with no errors.
    pub fn new(resource: &'a Resource) -> Self {
        Self { resource, errors: Vec::new() }
    }

    /// The title.
    pub fn title(&self) -> &'a str {
        &self.resource.id.title
    }

    /// The value, a secret's content included; `None` if it is absent or null.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.resource.value(name).map(|v| reveal(v).0).filter(|v| !v.is_null())
    }

    /// Whether the value is or holds a secret.
    pub fn is_secret(&self, name: &str) -> bool {
        self.resource.value(name).is_some_and(Value::holds_secret)
    }

    /// Notes a bad attribute.
    pub fn fail(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(AttributeError::new(name, message));
    }

    /// A text; a number is converted to text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.value(name)?;
        let text = scalar_text(value);
        if text.is_none() {
            self.fail(name, format!("{name} must be text, not {}", value.kind()));
        }
        text
    }

    /// A list of texts; a single one is a list of one, lists inside are flattened.
    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let Some(value) = self.value(name) else { return Vec::new() };
        let mut out = Vec::new();
        if !flatten(value, &mut out) {
            self.fail(name, format!("{name} must be text or a list of text"));
        }
        out
    }

    /// A boolean, also as `yes`, `no`, `true`, `false` in text.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        let value = self.value(name)?;
        match scalar_text(value).as_deref() {
            Some("true" | "yes") => Some(true),
            Some("false" | "no") => Some(false),
            _ => {
                let shown = self.shown(name, value);
                self.fail(name, format!("{name} must be true or false, not {shown}"));
                None
            }
        }
    }

    /// An integer, also as text.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        let value = self.value(name)?;
        let number = scalar_text(value).and_then(|t| t.parse().ok());
        if number.is_none() {
            let shown = self.shown(name, value);
            self.fail(name, format!("{name} must be an integer, not {shown}"));
        }
        number
    }

    /// One of a few words; gives its index.
    pub fn word(&mut self, name: &str, words: &[&str]) -> Option<usize> {
        let value = self.value(name)?;
        let text = scalar_text(value);
        let found = text.and_then(|t| words.iter().position(|w| *w == t));
        if found.is_none() {
            let shown = self.shown(name, value);
            let words = words.join(", ");
            self.fail(name, format!("Invalid value {shown}. Valid values are {words}."));
        }
        found
    }

    /// Bytes: text, bytes, or an object that is marked as binary.
    pub fn bytes(&mut self, name: &str) -> Option<Arc<[u8]>> {
        let value = self.value(name)?;
        let bytes = match value {
            Value::Bytes(bytes) => Some(Arc::clone(bytes)),
            Value::Map(_) if value.get("__ptype").and_then(Value::as_str) == Some("Binary") => {
                let text = value.get("__pvalue").and_then(Value::as_str).unwrap_or_default();
                let engine = base64::engine::general_purpose::STANDARD;
                engine.decode(text.replace(['\n', '\r'], "")).ok().map(Arc::from)
            }
            other => scalar_text(other).map(|t| Arc::from(t.as_bytes())),
        };
        if bytes.is_none() {
            self.fail(name, format!("{name} must be text or binary, not {}", value.kind()));
        }
        bytes
    }

    /// A value for a message. A value that is no scalar is shown as the name of its type.
    pub fn shown(&self, name: &str, value: &Value) -> String {
        match value {
            _ if self.is_secret(name) => "[redacted]".into(),
            Value::Str(s) => format!("\"{s}\""),
            other => scalar_text(other).unwrap_or_else(|| other.kind().into()),
        }
    }

    /// The name of the type of an attribute's value.
    pub fn type_name(&self, name: &str) -> &'static str {
        self.value(name).map_or("Undef", type_name)
    }
}

fn flatten(value: &Value, out: &mut Vec<String>) -> bool {
    match reveal(value).0 {
        Value::List(items) => items.iter().all(|item| flatten(item, out)),
        other => scalar_text(other).map(|text| out.push(text)).is_some(),
    }
}

/// Whether an attribute is one that the engine reads for every kind.
pub(crate) fn is_of_engine(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
        || transfer::is_transfer(name)
        || WATCH_ATTRIBUTES.contains(&name)
        || name == "provider"
}
