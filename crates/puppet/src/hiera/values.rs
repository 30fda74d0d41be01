//! Values of data files.

use crate::value::{HashValue, Value};
use std::sync::Arc;

/// Whether any text in a value, keys included, has `%{`.
pub fn needs_interpolation(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.contains("%{"),
        Value::Array(items) => items.iter().any(needs_interpolation),
        Value::Hash(entries) => {
            entries.iter().any(|(k, v)| needs_interpolation(k) || needs_interpolation(v))
        }
        _ => false,
    }
}

/// Puppet's value of plain data.
pub fn from_data(value: &ordain_data::Value) -> Value {
    use ordain_data::Value as Plain;
    match value {
        Plain::Null => Value::Undef,
        Plain::Bool(b) => Value::Bool(*b),
        Plain::Int(i) => Value::Int(*i),
        Plain::BigInt(digits) => Value::big_integer(digits),
        Plain::Float(f) => Value::Float(*f),
        Plain::Str(text) => Value::Str(text.clone()),
        Plain::Bytes(bytes) => Value::str(String::from_utf8_lossy(bytes).into_owned()),
        Plain::List(items) => Value::array(items.iter().map(from_data)),
        Plain::Map(entries) => {
            let entries = entries.iter().map(|(k, v)| (from_data(k), from_data(v)));
            Value::Hash(Arc::new(entries.collect::<HashValue>()))
        }
        Plain::Secret(inner) => Value::Sensitive(Arc::new(from_data(inner))),
    }
}
