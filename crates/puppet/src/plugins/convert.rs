//! Values between Puppet and the interpreter of Ruby.

use crate::value::ruby::{ruby_class, ruby_text};
use crate::value::{HashValue, Value};
use ecow::EcoString;
use ordain_ruby::Foreign;
use ordain_ruby::HostError;
use ordain_ruby::Value as Ruby;
use std::rc::Rc;

/// The maximal nesting of data that a template passes to a function.
pub(crate) const MAX_NESTING: usize = 200;

/// The arguments that Ruby makes of a value after a splat operator: a hash becomes its pairs, nil
/// nothing.
pub(crate) fn splat(given: &Ruby) -> Vec<Ruby> {
    if let Some(entries) = given.as_entries() {
        return entries.into_iter().map(|(k, v)| Ruby::array(vec![k, v])).collect();
    }
    match given {
        Ruby::Nil => Vec::new(),
        other => other.as_items().unwrap_or_else(|| vec![other.clone()]),
    }
}

pub(crate) fn raised(class: &str, message: impl Into<EcoString>) -> HostError {
    HostError::Raise { class: class.into(), message: message.into(), number: None }
}

/// A value without a Ruby equivalent, which the template passes on unchanged.
pub(crate) fn foreign(value: &Value) -> Ruby {
    Ruby::Foreign(Rc::new(Foreign {
        class: ruby_class(value).into(),
        text: ruby_text(value),
        inner: Rc::new(value.clone()),
    }))
}

/// A value as templates see it.
pub(crate) fn to_ruby(value: &Value) -> Ruby {
    match value {
        Value::Undef => Ruby::Nil,
        Value::Default => Ruby::symbol("default"),
        Value::Bool(b) => Ruby::Bool(*b),
        Value::Int(i) => Ruby::Int(*i),
        Value::Float(f) => Ruby::Float(*f),
        Value::Str(text) => Ruby::str(text.clone()),
        Value::Array(items) => Ruby::array(items.iter().map(to_ruby).collect()),
        Value::Iterator(iterator) => Ruby::array(iterator.items.iter().map(to_ruby).collect()),
        Value::Hash(entries) => {
            Ruby::hash(entries.iter().map(|(key, value)| (to_ruby(key), to_ruby(value))))
        }
        Value::Runtime(object) if object.is_symbol() => Ruby::symbol(&object.text),
        other => foreign(other),
    }
}

/// A value of a template as functions get it.
pub(crate) fn from_ruby(value: &Ruby, depth: usize) -> Result<Value, HostError> {
    if depth > MAX_NESTING {
        return Err(raised("SystemStackError", "stack level too deep"));
    }
    Ok(match value {
        Ruby::Nil => Value::Undef,
        Ruby::Bool(b) => Value::Bool(*b),
        Ruby::Int(i) => Value::Int(*i),
        Ruby::Float(f) => Value::Float(*f),
        Ruby::Symbol(name) if name == "undef" => Value::Undef,
        Ruby::Symbol(name) if name == "default" => Value::Default,
        Ruby::Symbol(name) => Value::symbol(name),
        Ruby::Str(text) => Value::Str(text.get()),
        Ruby::Array(_) => {
            let items = value.as_items().unwrap_or_default();
            let items: Result<Vec<_>, _> = items.iter().map(|v| from_ruby(v, depth + 1)).collect();
            Value::array(items?)
        }
        Ruby::Hash(_) => {
            let mut entries = HashValue::default();
            for (key, value) in value.as_entries().unwrap_or_default() {
                entries.insert(from_ruby(&key, depth + 1)?, from_ruby(&value, depth + 1)?);
            }
            Value::Hash(std::sync::Arc::new(entries))
        }
        Ruby::Foreign(foreign) => match foreign.inner.downcast_ref::<Value>() {
            Some(value) => value.clone(),
            None => return Err(HostError::Unsupported("the scope as an argument".into())),
        },
        other => {
            let class = other.class().name();
            return Err(HostError::Unsupported(format!("{class} as an argument of a function")));
        }
    })
}
