//! Helpers for the bodies of functions: Ruby's texts of values, cached regular expressions, bounds.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::regex::Regex;
use ordain_functions::version::Version;

use crate::error::{EvalResult, PlainError, Unwind, plain};
use crate::functions::call::Call;
use crate::functions::{Body, Dispatch, Function, Style};
use crate::types::infer::infer_set;
use crate::types::regexp::shared;
use crate::types::{IntRange, Type};
use crate::value::text::to_text;
use crate::value::{HashValue, Value};

pub use crate::types::instance::is_instance;
pub use crate::value::compare::equals;
pub use crate::value::ruby::{ruby_class, ruby_equal, ruby_inspect, ruby_text};

/// Puppet's addition to a warning without a place.
pub const NO_PLACE: &str = "\n   (file & line not available)";

/// A function that is chosen by its signatures.
pub const fn function(
    name: &'static str,
    doc: &'static str,
    dispatches: &'static [Dispatch],
) -> Function {
    Function { name, doc, style: Style::Dispatch(dispatches) }
}

/// A function of the older programming interface, with its arity.
pub const fn old(name: &'static str, doc: &'static str, arity: i32, body: Body) -> Function {
    Function { name, doc, style: Style::Arity(arity, body) }
}

/// The error of a library function as an error of a function call.
pub fn wrap(error: impl std::fmt::Display) -> Box<Unwind> {
    PlainError::new(error.to_string()).into()
}

/// The compiled form of a regular expression in Ruby's dialect.
///
/// # Errors
/// When the pattern is invalid.
pub fn regex(pattern: &str) -> EvalResult<Arc<Regex>> {
    shared(pattern).map_err(wrap)
}

/// The source of a regular expression, of its type, or the text itself.
pub fn regexp_of(value: &Value) -> Option<EcoString> {
    match value {
        Value::Str(text) => Some(text.clone()),
        Value::Regexp(regexp) => Some(regexp.source.clone()),
        Value::Type(kind) => match &**kind {
            Type::Regexp(regexp) => Some(regexp.as_ref()?.source.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The text of a type.
pub fn text_of_type(kind: &Type) -> EcoString {
    to_text(&Value::of_type(kind.clone()))
}

/// The type of the items of an iterable value.
pub fn element_type(value: &Value) -> Type {
    match value {
        Value::Iterator(iterator) => (*iterator.of()).clone(),
        Value::Str(_) => Type::String(IntRange::new(1, 1)),
        Value::Int(0) => Type::Unit,
        Value::Int(n) => Type::Integer(IntRange::new(0, n - 1)),
        Value::Type(kind) => (**kind).clone(),
        Value::Array(items) if items.is_empty() => Type::Unit,
        Value::Array(items) => union(items.iter()),
        Value::Hash(entries) => {
            let pair = IntRange::new(2, 2);
            Type::Tuple(Arc::new([union(entries.keys()), union(entries.values())]), Some(pair))
        }
        _ => Type::Any,
    }
}

fn union<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    let mut kinds: indexmap::IndexSet<Type, rustc_hash::FxBuildHasher> =
        values.map(infer_set).collect();
    match kinds.len() {
        0 => Type::Unit,
        1 => kinds.pop().unwrap_or(Type::Unit),
        _ => Type::Variant(kinds.into_iter().collect()),
    }
}

/// The arguments in the form of the older interface: `undef` becomes an empty text, and values that
/// this interface does not support become texts.
pub fn old_args(call: &mut Call<'_, '_>) -> Vec<Value> {
    std::mem::take(&mut call.args).into_iter().map(|value| old_value(value, true)).collect()
}

fn old_value(value: Value, outer: bool) -> Value {
    match value {
        Value::Undef if outer => Value::str(""),
        Value::Regexp(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::Binary(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_) => Value::Str(to_text(&value)),
        Value::Array(ref items) if items.iter().any(needs_conversion) => {
            Value::array(items.iter().map(|v| old_value(v.clone(), false)))
        }
        Value::Hash(ref entries)
            if entries.iter().any(|(k, v)| needs_conversion(k) || needs_conversion(v)) =>
        {
            let convert = |(k, v): (&Value, &Value)| {
                (old_value(k.clone(), false), old_value(v.clone(), false))
            };
            Value::Hash(Arc::new(entries.iter().map(convert).collect::<HashValue>()))
        }
        value => value,
    }
}

fn needs_conversion(value: &Value) -> bool {
    use Value::{Array, Binary, Hash, Regexp, SemVer, SemVerRange, Timespan, Timestamp};
    matches!(
        value,
        Regexp(_)
            | Timespan(_)
            | Timestamp(_)
            | Binary(_)
            | SemVer(_)
            | SemVerRange(_)
            | Array(_)
            | Hash(_)
    )
}

/// The semantic version that a value is.
pub fn version_of(value: &Value) -> Option<Version> {
    match value {
        Value::SemVer(version) => Some(Version::clone(version)),
        _ => None,
    }
}

/// The integer that a float rounds to.
///
/// # Errors
/// When it is NaN or infinite.
pub fn integer_of(f: f64) -> EvalResult {
    if f.is_nan() {
        return plain("NaN");
    }
    if f.is_infinite() {
        return plain(if f > 0.0 { "Infinity" } else { "-Infinity" });
    }
    if f >= -(2f64.powi(63)) && f < 2f64.powi(63) {
        return Ok(Value::Int(f as i64));
    }
    Ok(Value::big_integer(&format!("{f:.0}")))
}

impl Call<'_, '_> {
    /// Warns about a deprecated function, once per key.
    pub fn deprecate(&mut self, key: &str, message: &str) {
        self.compiler.warn_once(key, &format!("{message}{NO_PLACE}"), None);
    }
}
