//! Values to the form in which they go to the `ruby` process and back; `wire.rb` is the other end.
//!
//! What JSON has no form for is an object whose key `$` names the kind. Types, lambdas and what else
//! only the compile can work on stay here and go by a number.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::base64;
use ordain_functions::version::Version;
use ordain_source::Span;
use serde_json::{Map, Value as Json, json};

use crate::eval::Compiler;
use crate::eval::error::{EvalResult, plain as fail};
use crate::eval::scope::ScopeId;
use crate::eval::text::to_text;
use crate::types::display::simple_name;
use crate::types::{Regexp, Type};
use crate::value::{HashValue, RuntimeObject, Value};

/// The key that marks an object as something else than a hash.
pub(super) const MARK: &str = "$";

/// A value that needs nothing of a compile.
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
        Value::Hash(entries) => pack_hash(entries, hold),
        Value::Regexp(regexp) => json!({ MARK: "regexp", "v": regexp.source.as_str() }),
        Value::Sensitive(inner) => json!({ MARK: "sensitive", "v": pack(inner, hold) }),
        Value::Binary(bytes) => {
            json!({ MARK: "binary", "v": base64::encode(bytes, base64::Mode::Strict) })
        }
        Value::SemVer(version) => json!({ MARK: "semver", "v": version.to_string() }),
        Value::Runtime(object) if object.is_symbol() => {
            json!({ MARK: "symbol", "v": object.text.as_str() })
        }
        Value::Runtime(object) => match object.number {
            Some(number) => json!({ MARK: "object", "n": number }),
            None => Json::String(object.text.as_str().to_owned()),
        },
        other => hold(other),
    }
}

fn pack_hash(entries: &HashValue, hold: &mut dyn FnMut(&Value) -> Json) -> Json {
    let is_plain = entries.keys().all(|key| key.as_str().is_some_and(|key| key != MARK));
    if is_plain {
        let entries =
            entries.iter().filter_map(|(k, v)| Some((k.as_str()?.to_owned(), pack(v, hold))));
        return Json::Object(entries.collect::<Map<_, _>>());
    }
    let pairs: Vec<Json> =
        entries.iter().map(|(k, v)| json!([pack(k, hold), pack(v, hold)])).collect();
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
    /// When there is none such any more.
    pub(super) fn revive(&mut self, of: &str, v: &str, span: Span) -> EvalResult<Json> {
        let number = || v.parse().unwrap_or_default();
        let value = match of {
            TIMESTAMP => Value::Timestamp(Arc::new(number())),
            TIMESPAN => Value::Timespan(Arc::new(number())),
            REFERENCE => Value::Reference(Arc::new(self.told_type(v, &[])?)),
            kind => {
                let kind = Value::of_type(self.told_type(kind, &[])?);
                self.call_function("new", vec![kind, Value::str(v)], None, ScopeId::TOP, span)?
            }
        };
        Ok(self.pack_value(&value))
    }

    /// A value that Ruby code gave to Puppet code.
    ///
    /// # Errors
    /// When it is none that Puppet has.
    pub(super) fn unpack_value(&self, data: &Json) -> EvalResult {
        self.unpack(data, &mut Vec::new())
    }

    /// A value that Ruby code goes on to hold.
    ///
    /// # Errors
    /// As of [`Compiler::unpack_value`].
    pub(super) fn unpack_kept(&mut self, data: &Json, scope: ScopeId) -> EvalResult {
        let mut given = Vec::new();
        let value = self.unpack(data, &mut given)?;
        self.note_given(given, scope);
        Ok(value)
    }

    /// Values that Ruby code gives to a function and goes on to hold.
    ///
    /// # Errors
    /// As of [`Compiler::unpack_value`].
    pub(super) fn unpack_arguments(
        &mut self,
        data: &Json,
        scope: ScopeId,
    ) -> EvalResult<Vec<Value>> {
        let items = data.as_array().map_or(&[][..], Vec::as_slice);
        let mut given = Vec::new();
        let values: EvalResult<Vec<_>> =
            items.iter().map(|item| self.unpack(item, &mut given)).collect();
        self.note_given(given, scope);
        values
    }

    /// `given` gets what Ruby code goes on to hold, with its numbers.
    fn unpack(&self, data: &Json, given: &mut Vec<(usize, Value)>) -> EvalResult {
        Ok(match data {
            Json::Null => Value::Undef,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(number) => match number.as_i64() {
                Some(i) => Value::Int(i),
                None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::str(text.as_str()),
            Json::Array(items) => {
                let items: EvalResult<Vec<_>> =
                    items.iter().map(|item| self.unpack(item, given)).collect();
                Value::Array(Arc::new(items?))
            }
            Json::Object(entries) => match entries.get(MARK).and_then(Json::as_str) {
                Some(kind) => return self.marked(kind, data, given),
                None => {
                    let mut out = HashValue::default();
                    for (key, value) in entries {
                        out.insert(Value::str(key.as_str()), self.unpack(value, given)?);
                    }
                    Value::Hash(Arc::new(out))
                }
            },
        })
    }

    fn marked(&self, kind: &str, data: &Json, given: &mut Vec<(usize, Value)>) -> EvalResult {
        let value = &data["v"];
        let text = value.as_str().unwrap_or_default();
        Ok(match kind {
            "default" => Value::Default,
            "float" => Value::Float(match text {
                "NaN" => f64::NAN,
                "-Infinity" => f64::NEG_INFINITY,
                _ => f64::INFINITY,
            }),
            "hash" => {
                let mut out = HashValue::default();
                for pair in value.as_array().into_iter().flatten() {
                    out.insert(self.unpack(&pair[0], given)?, self.unpack(&pair[1], given)?);
                }
                Value::Hash(Arc::new(out))
            }
            "regexp" => Value::Regexp(Arc::new(Regexp::new(text))),
            "symbol" => Value::symbol(text),
            "object" => Value::Runtime(Arc::new(runtime_object(data))),
            "sensitive" => Value::Sensitive(Arc::new(self.unpack(value, given)?)),
            "binary" => Value::Binary(Arc::new(decode(text)?)),
            "bytes" => return fail("the Ruby code gives text that is not valid UTF-8"),
            "semver" => match text.parse::<Version>() {
                Ok(version) => Value::SemVer(Arc::new(version)),
                Err(_) => Value::str(text),
            },
            "uri" => match text.parse() {
                Ok(uri) => Value::Uri(Arc::new(uri)),
                Err(_) => Value::str(text),
            },
            "resource" => {
                let (kind, title) = (data["type"].as_str(), data["title"].as_str());
                let key = crate::catalog::ResourceKey::new(
                    kind.unwrap_or_default(),
                    title.unwrap_or_default(),
                );
                crate::eval::relations::reference(&key)
            }
            "lent" => known(self.ruby.lent.get(data["n"].as_u64()))?,
            "give" => {
                let value = self.unpack(value, given)?;
                if let Some(number) = data["n"].as_u64().and_then(|n| usize::try_from(n).ok()) {
                    given.push((number, value.clone()));
                }
                value
            }
            "held" => known(data["id"].as_u64().and_then(|id| self.ruby.held(id)))?,
            other => return fail(format!("the Ruby code gives an unknown kind of value: {other}")),
        })
    }
}

/// An object of Ruby as the process describes it.
fn runtime_object(data: &Json) -> RuntimeObject {
    let text = |name: &str| data[name].as_str().map(EcoString::from);
    let ancestors = data["ancestors"].as_array().into_iter().flatten();
    RuntimeObject {
        class: text("class"),
        ancestors: ancestors.filter_map(Json::as_str).map(EcoString::from).collect(),
        text: text("text").unwrap_or_default(),
        inspect: text("inspect").unwrap_or_default(),
        number: data["n"].as_u64(),
        is_by_value: data["by_value"] == true,
    }
}

/// What Ruby code holds, if the compile still has it.
fn known(value: Option<&Value>) -> EvalResult {
    match value {
        Some(value) => Ok(value.clone()),
        None => fail("the Ruby code gives a value that it got in another call"),
    }
}

fn decode(text: &str) -> EvalResult<Vec<u8>> {
    match base64::decode(text, base64::Mode::Strict) {
        Ok(bytes) => Ok(bytes),
        Err(error) => fail(error.to_string()),
    }
}

const TIMESTAMP: &str = "Timestamp";
const TIMESPAN: &str = "Timespan";
const REFERENCE: &str = "reference";

/// What a value that only the compile can work on is made of, and a text that it is made from again.
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

/// What Ruby code reads of references.
fn type_parts(kind: &Type) -> Json {
    match kind {
        Type::Resource { kind, title } => {
            json!({ "type": kind.as_deref(), "title": title.as_deref() })
        }
        Type::Class(name) => json!({ "title": name.as_deref() }),
        _ => json!({}),
    }
}
