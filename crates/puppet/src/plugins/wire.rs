//! Values to the `ruby` process; `wire.rb` is the counterpart, and `unpack.rs` has the other
//! direction.
//!
//! A value that JSON cannot represent becomes an object whose key `$` names the kind. Values that
//! only the compile can use, such as types and lambdas, stay here and have a number in the message.

use std::sync::Arc;

use ordain_functions::base64;
use ordain_source::Span;
use serde_json::{Map, Value as Json, json};

use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::types::Type;
use crate::types::display::simple_name;
use crate::value::closure::ScopeId;
use crate::value::text::to_text;
use crate::value::{HashValue, Value};

/// The key that distinguishes other objects from hashes.
pub(super) const MARK: &str = "$";

/// A value that does not depend on a compile.
pub(super) fn plain(value: &Value) -> Json {
    pack(value, &mut |other| json!(to_text(other).as_str()))
}

fn pack(value: &Value, hold: &mut dyn FnMut(&Value) -> Json) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Default => json!({ MARK: "default" }),
        Value::Bool(b) => Json::Bool(*b),
        Value::Int(i) => json!(i),
        Value::Float(x) if x.is_finite() => json!(x),
        Value::Float(x) => json!({ MARK: "float", "v": x.to_string() }),
        Value::Str(text) => Json::String(text.as_str().to_owned()),
        Value::Array(items) => items.iter().map(|item| pack(item, hold)).collect(),
        Value::Iterator(iterator) => iterator.items.iter().map(|item| pack(item, hold)).collect(),
        Value::Hash(entries) => pack_entries(entries, &mut |value| pack(value, hold)),
        Value::Regexp(regexp) => json!({ MARK: "regexp", "v": regexp.source.as_str() }),
        Value::Sensitive(inner) => json!({ MARK: "sensitive", "v": pack(inner, hold) }),
        Value::Binary(bytes) => {
            json!({ MARK: "binary", "v": base64::encode(bytes, base64::Mode::Strict) })
        }
        Value::SemVer(version) => json!({ MARK: "semver", "v": version.to_string() }),
        Value::Runtime(object) if object.is_symbol() => {
            json!({ MARK: "symbol", "v": object.text.as_str() })
        }
        Value::Runtime(object) if object.is_integer() => {
            json!({ MARK: "integer", "v": object.text.as_str() })
        }
        Value::Runtime(object) => match object.number {
            Some(number) => json!({ MARK: "object", "n": number }),
            None => Json::String(object.text.as_str().to_owned()),
        },
        other => hold(other),
    }
}

/// The entries of a hash, with keys and values packed by `pack`.
pub(super) fn pack_entries(entries: &HashValue, pack: &mut dyn FnMut(&Value) -> Json) -> Json {
    if entries.keys().all(|key| key.as_str().is_some_and(|key| key != MARK)) {
        let mut out = Map::with_capacity(entries.len());
        for (key, value) in entries {
            out.insert(key.as_str().unwrap_or_default().to_owned(), pack(value));
        }
        return Json::Object(out);
    }
    let pairs: Vec<Json> =
        entries.iter().map(|(key, value)| json!([pack(key), pack(value)])).collect();
    json!({ MARK: "hash", "v": pairs })
}

impl Compiler<'_> {
    /// A value as Ruby code gets it.
    pub(super) fn pack_value(&mut self, value: &Value) -> Json {
        pack(value, &mut |other| self.pack_held(other))
    }

    fn pack_held(&mut self, value: &Value) -> Json {
        let id = self.ruby.hold(value.clone());
        let text = to_text(value);
        match value {
            Value::Type(kind) => json!({
                MARK: "held", "kind": "type", "id": id, "text": text.as_str(),
                "class": type_class(kind), "parts": type_parts(kind),
            }),
            Value::Object(object) => {
                let context = self.context_use(value);
                let context = context.map(|used| {
                    let is_shared = self.ruby.shares_contexts || used.has_cache;
                    json!([used.number, is_shared, used.is_explained])
                });
                json!({
                    MARK: "held", "kind": "object", "id": id, "text": text.as_str(),
                    "class": object.kind.name.as_str(), "context": context,
                })
            }
            Value::Callable(closure) => {
                let signature = &closure.signature;
                let kind = |optional| if optional { "opt" } else { "req" };
                let params: Vec<Json> = signature
                    .params
                    .iter()
                    .map(|p| json!([kind(p.optional), p.name.as_str()]))
                    .collect();
                let min = i64::try_from(signature.min()).unwrap_or(i64::MAX);
                let exact = signature.max() == Some(signature.min());
                let arity = if exact { min } else { -min - 1 };
                json!({ MARK: "block", "id": id, "arity": arity, "parameters": params })
            }
            _ => {
                let (of, v) = revivable(value).unzip();
                let text = text.as_str();
                json!({ MARK: "held", "kind": "plain", "id": id, "text": text, "of": of, "v": v })
            }
        }
    }

    /// A value that Ruby code has kept from another call.
    ///
    /// # Errors
    /// When it does not exist any more.
    pub(super) fn revive(&mut self, of: &str, v: &str, span: Span) -> EvalResult<Json> {
        let number = || v.parse().unwrap_or_default();
        let value = match of {
            TIMESTAMP => Value::Timestamp(Arc::new(number())),
            TIMESPAN => Value::Timespan(Arc::new(number())),
            REFERENCE => Value::Reference(Arc::new(self.parse_reported_type(v, &[])?)),
            kind => {
                let kind = Value::of_type(self.parse_reported_type(kind, &[])?);
                self.call_function("new", vec![kind, Value::str(v)], None, ScopeId::TOP, span)?
            }
        };
        Ok(self.pack_value(&value))
    }
}

const TIMESTAMP: &str = "Timestamp";
const TIMESPAN: &str = "Timespan";
const REFERENCE: &str = "reference";

/// The kind of a value that only the compile can use, with a text from which it can be made again.
fn revivable(value: &Value) -> Option<(&'static str, String)> {
    Some(match value {
        Value::Timestamp(nanoseconds) => (TIMESTAMP, nanoseconds.to_string()),
        Value::Timespan(nanoseconds) => (TIMESPAN, nanoseconds.to_string()),
        Value::Reference(_) => (REFERENCE, to_text(value).into()),
        Value::SemVerRange(_) => ("SemVerRange", to_text(value).into()),
        Value::Uri(_) => ("URI", to_text(value).into()),
        _ => return None,
    })
}

/// The name of the class that Ruby code knows a type by.
fn type_class(kind: &Type) -> String {
    match kind {
        Type::Resource { .. } => "PResourceType".to_owned(),
        Type::Class(_) => "PClassType".to_owned(),
        Type::Literal(_) => "PStringType".to_owned(),
        Type::Alias(_) => "PTypeAliasType".to_owned(),
        Type::Object(_) | Type::Parameterized(_) => "PObjectType".to_owned(),
        Type::Reference(_) => "PTypeReferenceType".to_owned(),
        other => format!("P{}Type", simple_name(other)),
    }
}

/// The properties of references that Ruby code reads.
fn type_parts(kind: &Type) -> Json {
    match kind {
        Type::Resource { kind, title } => {
            json!({ "type": kind.as_deref(), "title": title.as_deref() })
        }
        Type::Class(name) => json!({ "title": name.as_deref() }),
        _ => json!({}),
    }
}
