//! Values as Python code of a plugin sees and prints them.

use crate::value::{Names, Value};

/// A value as `str` of Python gives it for what a plugin was handed.
pub fn python_text(value: &Value, names: &dyn Names) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Reference(reference) => reference.text.clone(),
        Value::Object(object) => object.handed.clone(),
        _ => python_repr(value, names),
    }
}

/// A value as `repr` of Python gives it for what a plugin was handed: what stands for lists, dicts
/// and instances of the model has an `@` before it.
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

/// The name of the class that Python has for a value in a plugin.
pub(super) fn class_name(value: &Value) -> &str {
    match value {
        Value::Null => "NoneType",
        Value::List(_) => "SequenceProxy",
        Value::Dict(_) => "DictProxy",
        Value::Instance(_) | Value::Object(_) => "DynamicProxy",
        _ => value.python_type(),
    }
}
