//! Values as plain data and back: Puppet's rich data (upstream specification `pcore-data-representation`).

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_data::yaml::{self, SYMBOL, Schema};

use crate::types::models::data::object_to_data;
use crate::types::new::constructor_values;
use crate::types::simple_name::simple_name;
use crate::types::{Type, infer};
use crate::value::pcore;
use crate::value::resource_key::ResourceKey;
use crate::value::text;
use crate::value::{HashValue, Value};

const PTYPE: &str = "__ptype";
const PVALUE: &str = "__pvalue";

/// A value as plain data. Values without a form in plain data become maps with `__ptype`.
pub fn to_data(value: &Value) -> Data {
    match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(*b),
        Value::Int(i) => Data::Int(*i),
        Value::Float(x) => Data::Float(*x),
        Value::Str(s) => Data::Str(s.clone()),
        Value::Array(items) => Data::list(items.iter().map(to_data)),
        Value::Hash(entries) => hash_to_data(entries),
        Value::Default => tagged("Default", None),
        Value::Regexp(r) => tagged("Regexp", Some(Data::Str(r.text()))),
        Value::Sensitive(inner) => {
            let inner = to_data(inner);
            if matches!(inner, Data::Secret(_)) { inner } else { Data::Secret(Arc::new(inner)) }
        }
        Value::Type(kind) | Value::Reference(kind) => type_to_data(kind),
        Value::Object(object) => {
            let mut entries = vec![(PTYPE.into(), Data::Str(object.kind.name.clone()))];
            entries.extend(constructor_values(object).into_iter().map(|(k, v)| (k, to_data(v))));
            Data::map::<EcoString>(entries)
        }
        Value::Instance(instance) => object_to_data(instance, to_data),
        Value::Runtime(object) if object.is_integer() => Data::BigInt(object.text.as_str().into()),
        Value::Runtime(object) => Data::Str(object.text.clone()),
        Value::Iterator(iterator) => Data::list(iterator.items.iter().map(to_data)),
        other => {
            // The type's own name, which differs from its name in messages.
            let kind = infer(other);
            tagged(simple_name(&kind), Some(Data::Str(text::to_text(other))))
        }
    }
}

fn hash_to_data(entries: &HashValue) -> Data {
    let is_plain = |key: &Value| match key {
        Value::Str(key) => key != PTYPE,
        Value::Reference(_) => true,
        _ => false,
    };
    let plain = entries.keys().all(is_plain);
    if plain {
        let entries = entries.iter();
        return Data::Map(Arc::new(entries.map(|(k, v)| (to_data(k), to_data(v))).collect()));
    }
    let flat = entries.iter().flat_map(|(k, v)| [to_data(k), to_data(v)]);
    tagged("Hash", Some(Data::list(flat)))
}

fn type_to_data(kind: &Type) -> Data {
    match kind {
        // The title as it was written.
        Type::Resource { kind: Some(name), title: Some(title) } => {
            let mut text = EcoString::with_capacity(name.len() + title.len() + 2);
            for part in [name, "[", title, "]"] {
                text.push_str(part);
            }
            return Data::Str(text);
        }
        Type::Class(Some(name)) => {
            return Data::Str(ResourceKey::new("class", name).text().into());
        }
        _ => {}
    }
    if let Type::Resource { kind: Some(name), title: None } = kind {
        return Data::Str(ecow::eco_format!("{name}[]"));
    }
    pcore::type_to_data(kind, to_data)
}

fn tagged(name: &str, value: Option<Data>) -> Data {
    let mut entries = vec![(PTYPE, Data::from(name))];
    entries.extend(value.map(|v| (PVALUE, v)));
    Data::map(entries)
}

/// The value of a YAML document, as Ruby reads it.
///
/// # Errors
/// When Ruby's safe loading refuses it.
#[inline]
pub fn from_yaml(tree: &yaml::Tree) -> Result<Value, yaml::Error> {
    if !tree.has_symbols() {
        return tree.value(Schema::Psych).map(|data| from_data(&data));
    }
    tree.value(Schema::PsychSymbols).map(|data| with_symbols(&data))
}

fn with_symbols(data: &Data) -> Value {
    match data {
        Data::List(items) => Value::array(items.iter().map(with_symbols)),
        Data::Map(entries) => match entries.iter().next() {
            Some((Data::Str(key), Data::Str(name))) if entries.len() == 1 && key == SYMBOL => {
                Value::symbol(name)
            }
            _ => {
                let entries = entries.iter().map(|(k, v)| (with_symbols(k), with_symbols(v)));
                Value::Hash(Arc::new(entries.collect()))
            }
        },
        other => from_data(other),
    }
}

/// Plain data as a value. Bytes become binaries.
pub fn from_data(data: &Data) -> Value {
    match data {
        Data::Null => Value::Undef,
        Data::Bool(b) => Value::Bool(*b),
        Data::Int(i) => Value::Int(*i),
        Data::BigInt(digits) => Value::big_integer(digits),
        Data::Float(x) => Value::Float(*x),
        Data::Str(s) => Value::Str(s.clone()),
        Data::Bytes(b) => Value::Binary(Arc::new(b.to_vec())),
        Data::List(items) => Value::array(items.iter().map(from_data)),
        Data::Map(entries) => {
            let entries = entries.iter().map(|(k, v)| (from_data(k), from_data(v)));
            Value::Hash(Arc::new(entries.collect()))
        }
        Data::Secret(inner) => Value::Sensitive(Arc::new(from_data(inner))),
    }
}
