//! Values from the `ruby` process; `wire.rs` has the other direction.
//!
//! In a value that is marked `give`, the lists and hashes are numbered in the order in which they
//! begin. Repeated ones, also in other values of the same message, are written as their number.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::base64;
use ordain_functions::version::Version;
use serde_json::Value as Json;

use super::wire::MARK;
use crate::error::{EvalResult, plain as fail};
use crate::state::Compiler;
use crate::state::budget::{MAX_WEIGHT, Size, too_big};
use crate::types::Regexp;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, RuntimeObject, Value};

/// The maximal nesting of a value, as in the process.
const MAX_NESTING: usize = 100;

/// The numbered lists and hashes of a message.
#[derive(Default)]
pub(super) struct NumberedParts {
    /// The number of the first; `None` if none has a number.
    base: Option<usize>,
    /// `None` for a value that is still being read.
    parts: Vec<Option<Part>>,
    /// The size of the value that is being read, so far.
    size: Size,
}

/// A list or hash, and its size.
struct Part {
    value: Value,
    size: Size,
}

impl NumberedParts {
    /// The lists and hashes with their numbers.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (usize, Value)> {
        let base = self.base.unwrap_or_default();
        let parts = self.parts.into_iter().enumerate();
        parts.filter_map(move |(at, part)| Some((base + at, part?.value)))
    }

    /// Begins to number lists and hashes.
    fn begin(&mut self, number: Option<u64>) -> EvalResult<()> {
        let Some(number) = number.and_then(|number| usize::try_from(number).ok()) else {
            return fail("the Ruby code gives a value without its number");
        };
        if *self.base.get_or_insert(number) + self.parts.len() != number {
            return fail("the Ruby code gives values out of order");
        }
        Ok(())
    }

    /// Reads a list or hash.
    fn part(&mut self, read: impl FnOnce(&mut Self) -> EvalResult) -> EvalResult {
        if self.base.is_none() {
            return read(self);
        }
        let at = self.parts.len();
        self.parts.push(None);
        let outer = std::mem::take(&mut self.size);
        let value = read(self)?;
        let size = self.size.around(&value);
        self.size = outer;
        self.count(size)?;
        self.parts[at] = Some(Part { value: value.clone(), size });
        Ok(value)
    }

    fn count(&mut self, size: Size) -> EvalResult<()> {
        self.size.add(size);
        if self.size.height > MAX_NESTING {
            return too_deep();
        }
        if self.size.weight > MAX_WEIGHT { too_big() } else { Ok(()) }
    }

    /// The list or hash of a number, if it belongs to this message.
    fn get(&mut self, number: Option<u64>) -> EvalResult<Option<Value>> {
        let number = number.and_then(|number| usize::try_from(number).ok());
        let at = number.zip(self.base).and_then(|(number, base)| number.checked_sub(base));
        match at.and_then(|at| self.parts.get(at)) {
            None => Ok(None),
            // It is a part of itself.
            Some(None) => too_deep(),
            Some(Some(Part { value, size })) => {
                let (value, size) = (value.clone(), *size);
                self.count(size)?;
                Ok(Some(value))
            }
        }
    }
}

fn too_deep<T>() -> EvalResult<T> {
    fail(format!("a value is nested more than {MAX_NESTING} levels deep"))
}

impl Compiler<'_> {
    /// A value from Ruby code.
    ///
    /// # Errors
    /// When Puppet cannot represent it.
    pub(super) fn unpack_value(&self, data: &Json) -> EvalResult {
        self.unpack(data, &mut NumberedParts::default())
    }

    /// A value that Ruby code continues to hold.
    ///
    /// # Errors
    /// As of [`Compiler::unpack_value`].
    pub(super) fn unpack_kept(&mut self, data: &Json, scope: ScopeId) -> EvalResult {
        let mut given = NumberedParts::default();
        let value = self.unpack(data, &mut given)?;
        self.keep_arguments(given, scope);
        Ok(value)
    }

    /// The arguments of a function, which Ruby code continues to hold.
    ///
    /// # Errors
    /// As of [`Compiler::unpack_value`].
    pub(super) fn unpack_arguments(
        &mut self,
        data: &Json,
        scope: ScopeId,
    ) -> EvalResult<Vec<Value>> {
        let items = data.as_array().map_or(&[][..], Vec::as_slice);
        let mut given = NumberedParts::default();
        let values: EvalResult<Vec<_>> =
            items.iter().map(|item| self.unpack(item, &mut given)).collect();
        self.keep_arguments(given, scope);
        values
    }

    fn unpack(&self, data: &Json, given: &mut NumberedParts) -> EvalResult {
        Ok(match data {
            Json::Null => Value::Undef,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(number) => match number.as_i64() {
                Some(i) => Value::Int(i),
                None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::str(text.as_str()),
            Json::Array(items) => {
                return given.part(|given| {
                    let items: EvalResult<Vec<_>> =
                        items.iter().map(|item| self.unpack(item, given)).collect();
                    Ok(Value::Array(Arc::new(items?)))
                });
            }
            Json::Object(entries) => match entries.get(MARK).and_then(Json::as_str) {
                Some(kind) => return self.marked(kind, data, given),
                None => {
                    return given.part(|given| {
                        let mut out = HashValue::default();
                        for (key, value) in entries {
                            out.insert(Value::str(key.as_str()), self.unpack(value, given)?);
                        }
                        Ok(Value::Hash(Arc::new(out)))
                    });
                }
            },
        })
    }

    fn unpack_pairs(&self, pairs: &Json, given: &mut NumberedParts) -> EvalResult {
        let mut out = HashValue::default();
        for pair in pairs.as_array().into_iter().flatten() {
            out.insert(self.unpack(&pair[0], given)?, self.unpack(&pair[1], given)?);
        }
        Ok(Value::Hash(Arc::new(out)))
    }

    fn marked(&self, kind: &str, data: &Json, given: &mut NumberedParts) -> EvalResult {
        let value = &data["v"];
        let text = value.as_str().unwrap_or_default();
        Ok(match kind {
            "default" => Value::Default,
            "float" => Value::Float(match text {
                "NaN" => f64::NAN,
                "-Infinity" => f64::NEG_INFINITY,
                _ => f64::INFINITY,
            }),
            "hash" => return given.part(|given| self.unpack_pairs(value, given)),
            "regexp" => Value::Regexp(Arc::new(Regexp::new(text))),
            "symbol" => Value::symbol(text),
            "integer" => Value::big_integer(text),
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
                let key = crate::value::resource_key::ResourceKey::new(
                    kind.unwrap_or_default(),
                    title.unwrap_or_default(),
                );
                crate::catalog::values::reference(&key)
            }
            "shared" => match given.get(data["n"].as_u64())? {
                Some(value) => value,
                None => known(self.ruby.values.get(data["n"].as_u64()))?,
            },
            "frozen" => known(self.ruby.values.get_fixed(data["n"].as_u64()))?,
            "give" => {
                given.begin(data["n"].as_u64())?;
                self.unpack(value, given)?
            }
            "held" => known(data["id"].as_u64().and_then(|id| self.ruby.held(id)))?,
            other => return fail(format!("the Ruby code gives an unknown kind of value: {other}")),
        })
    }
}

/// A Ruby object by the description from the process.
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

/// A value that Ruby code holds, if the compile still has it.
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
