//! Values as Python code of plugins prints them.

use crate::value::{Names, Value};

/// Python's `str` for the value that a plugin gets.
pub fn python_text(value: &Value, names: &dyn Names) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Reference(reference) => reference.text.clone(),
        Value::Object(object) => object.handed.clone(),
        _ => python_repr(value, names),
    }
}

/// Python's `repr` for the value that a plugin gets: proxies of lists, dicts and instances print an
/// `@` first.
pub fn python_repr(value: &Value, names: &dyn Names) -> String {
    match value {
        Value::Null => "None".into(),
        Value::List(_) | Value::Dict(_) | Value::Instance(_) => {
            format!("@{}", value.repr(names))
        }
        Value::Object(object) => object.handed.clone(),
        _ => value.repr(names),
    }
}

/// The name of the Python class of the value that a plugin gets.
pub(super) fn class_name(value: &Value) -> &str {
    match value {
        Value::Null => "NoneType",
        Value::List(_) => "SequenceProxy",
        Value::Dict(_) => "DictProxy",
        Value::Instance(_) | Value::Object(_) => "DynamicProxy",
        _ => value.python_type(),
    }
}
