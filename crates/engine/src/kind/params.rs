//! Reads the attributes of a resource: conversions, allowed values, and all errors at once.

use std::sync::Arc;

use base64::Engine as _;
use ordain_data::Value;
use ordain_functions::float::to_ruby;
use ordain_graph::transfer::{self, WATCH_ATTRIBUTES};
use ordain_graph::{METAPARAMETERS, Resource};
use ordain_kinds::Form;

use crate::kind::error::AttributeError;

/// The attributes of one resource while they are parsed.
///
/// The readers return `None` for unset and invalid attributes. Errors are collected until
/// [`Params::finish`].
pub(crate) struct Params<'a> {
    resource: &'a Resource,
    errors: Vec<AttributeError>,
    /// Declared attributes that the provider does not support.
    dropped: Vec<&'static str>,
    /// Warnings about them.
    remarks: Vec<String>,
}

impl<'a> Params<'a> {
    /// The attributes of a resource. The caller has checked that all names are known.
    pub(crate) fn new(resource: &'a Resource) -> Self {
        Self { resource, errors: Vec::new(), dropped: Vec::new(), remarks: Vec::new() }
    }

    /// Records an error of an attribute.
    pub(crate) fn error(&mut self, attribute: &str, message: impl Into<String>) {
        self.errors.push(AttributeError::new(attribute, message));
    }

    /// Records an error of the resource as a whole.
    pub(crate) fn error_of_all(&mut self, message: impl Into<String>) {
        self.errors.push(AttributeError::of_resource(message));
    }

    /// The parsed resource, unless there were errors.
    pub(crate) fn finish<T>(self, parsed: T) -> Result<T, Vec<AttributeError>> {
        if self.errors.is_empty() { Ok(parsed) } else { Err(self.errors) }
    }

    /// The declared value, without the secret wrapper; `None` if it is not set.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a Value> {
        let value = self.resource.value(name).map(|v| reveal(v).0).filter(|v| !v.is_null());
        value.filter(|_| !self.dropped.contains(&name))
    }

    /// The title.
    pub(crate) fn title(&self) -> &'a str {
        &self.resource.id.title
    }

    /// Whether the value is or holds a secret.
    pub(crate) fn is_secret(&self, name: &str) -> bool {
        self.resource.value(name).is_some_and(Value::holds_secret)
    }

    /// The name of the type of an attribute's value.
    pub(crate) fn type_name(&self, name: &str) -> &'static str {
        self.raw(name).map_or("Undef", type_name)
    }

    /// Whether the attribute is set.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// The attributes that are or contain secrets.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let names = self.resource.attributes.iter().filter(|a| a.value.holds_secret());
        names.map(|a| a.name.to_string()).collect()
    }

    /// The name of the managed object: the name attribute, else the title.
    pub(crate) fn name(&mut self) -> String {
        match self.raw("name") {
            None => self.resource.id.title.to_string(),
            Some(Value::Str(s)) => s.to_string(),
            Some(other) => {
                self.error("name", format!("Name must be a String not {}", type_name(other)));
                String::new()
            }
        }
    }

    /// A text; numbers and booleans are written out.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let value = self.raw(name)?;
        let first = match value {
            Value::List(items) => items.first().map_or(&Value::Null, |v| reveal(v).0),
            other => other,
        };
        let text = scalar(first);
        if text.is_none() && !matches!(value, Value::List(l) if l.is_empty()) {
            self.error(name, format!("expected a text, got {}", value.kind()));
        }
        text
    }

    /// A text, or the default if it is not set.
    pub(crate) fn text_or(&mut self, name: &str, default: &str) -> String {
        self.text(name).unwrap_or_else(|| default.to_string())
    }

    /// The required absolute path `path`.
    pub(crate) fn path(&mut self) -> std::path::PathBuf {
        let path = self.text("path");
        match &path {
            None => self.error("path", "path is a required attribute"),
            Some(path) if !path.starts_with('/') => {
                self.error("path", format!("File paths must be fully qualified, not '{path}'"));
            }
            Some(_) => {}
        }
        path.unwrap_or_default().into()
    }

    /// A list of texts; one text is a list of one, lists in lists are flattened.
    pub(crate) fn list(&mut self, name: &str) -> Option<Vec<String>> {
        let value = self.raw(name)?;
        let mut items = Vec::new();
        if flatten(value, &mut items) {
            return Some(items);
        }
        self.error(name, format!("expected a text or a list of texts, got {}", value.kind()));
        None
    }

    /// One of the words that the schema of the kind allows.
    pub(crate) fn choice(&mut self, name: &str) -> Option<&'static str> {
        let kind = ordain_kinds::find(&self.resource.id.kind);
        let form = kind.and_then(|kind| kind.attribute(name)?.value_form());
        let words = if let Some(Form::Words(words)) = form { words } else { &[] };
        self.one_of(name, words)
    }

    /// One of these words.
    pub(crate) fn one_of(&mut self, name: &str, allowed: &[&'static str]) -> Option<&'static str> {
        let value = self.raw(name)?;
        let text = scalar(value);
        let found = text.and_then(|t| allowed.iter().find(|a| **a == t));
        if found.is_none() {
            self.invalid(name, value, allowed);
        }
        found.copied()
    }

    /// One of these words, by its index.
    pub(crate) fn index_of(&mut self, name: &str, allowed: &[&'static str]) -> Option<usize> {
        let found = self.one_of(name, allowed)?;
        allowed.iter().position(|word| *word == found)
    }

    /// True or false, also written `yes` or `no`; false if it is not set.
    pub(crate) fn boolean(&mut self, name: &str) -> bool {
        self.boolean_or(name, false)
    }

    /// True or false, also written `yes` or `no`.
    pub(crate) fn boolean_or(&mut self, name: &str, default: bool) -> bool {
        let found = self.one_of(name, &["true", "false", "yes", "no"]);
        found.map_or(default, |word| matches!(word, "true" | "yes"))
    }

    /// Bytes: text, bytes, or an object that is marked as binary.
    pub(crate) fn bytes(&mut self, name: &str) -> Option<Arc<[u8]>> {
        let value = self.raw(name)?;
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
            self.error(name, format!("{name} must be text or binary, not {}", value.kind()));
        }
        bytes
    }

    /// An integer, also as decimal digits; `message` is the error otherwise.
    pub(crate) fn integer(&mut self, name: &str, message: &str) -> Option<i64> {
        let value = self.raw(name)?;
        let number = scalar(value).and_then(|t| t.parse().ok());
        if number.is_none() {
            self.error(name, message);
        }
        number
    }

    /// Records that a value is not allowed. A secret value is not shown.
    pub(crate) fn invalid(&mut self, name: &str, value: &Value, allowed: &[&str]) {
        let shown = if self.is_secret(name) { "[redacted]".into() } else { inspect(value) };
        let message = format!("Invalid value {shown}. Valid values are {}.", allowed.join(", "));
        self.error(name, message);
    }

    /// Drops each of these attributes that is set: the provider lacks the feature with this name in
    /// Puppet, or only other providers use the attribute.
    pub(crate) fn leave_out(
        &mut self,
        provider: &str,
        names: &[(&'static str, Option<&'static str>)],
    ) {
        for (name, feature) in names {
            if !self.has(name) {
                continue;
            }
            self.remarks.push(match feature {
                Some(feature) => format!(
                    "Provider {provider} does not support features {feature}; \
                     not managing attribute {name}"
                ),
                None => format!("Provider {provider} does not use attribute {name}"),
            });
            self.dropped.push(name);
        }
    }

    /// Warnings about dropped attributes.
    pub(crate) fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    /// The provider, if it is one of `allowed`; the first is the default. Another known provider
    /// does not work on this system.
    pub(crate) fn provider(&mut self, allowed: &[&'static str], others: &[&str]) -> &'static str {
        let Some(wanted) = self.text("provider") else { return allowed[0] };
        if let Some(found) = allowed.iter().find(|a| **a == wanted) {
            return found;
        }
        let message = if others.contains(&wanted.as_str()) {
            format!("Provider {wanted} is not functional on this host")
        } else {
            let kind = self.resource.id.kind.to_lowercase();
            format!("Invalid {kind} provider '{wanted}'")
        };
        self.error("provider", message);
        allowed[0]
    }

    /// The reference to the resource.
    pub(crate) fn reference(&self) -> String {
        self.resource.id.to_string()
    }
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

/// Text, number or boolean as text, a secret's content too.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    scalar_text(reveal(value).0)
}

fn flatten(value: &Value, into: &mut Vec<String>) -> bool {
    match reveal(value).0 {
        Value::List(items) => items.iter().all(|i| flatten(i, into)),
        Value::Null => true,
        other => scalar(other).map(|t| into.push(t)).is_some(),
    }
}

/// A value as messages quote it: text in double quotes.
pub(crate) fn inspect(value: &Value) -> String {
    match value {
        Value::Str(s) => format!("{:?}", s.as_str()),
        other => format!("{other:?}"),
    }
}

/// Whether an attribute is one that the engine reads for every kind.
pub(crate) fn is_of_engine(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
        || transfer::is_transfer(name)
        || WATCH_ATTRIBUTES.contains(&name)
        || name == "provider"
}
