//! `to_json` and `to_yaml`.

use std::rc::Rc;
use std::sync::Arc;

use ordain_data::json::{self, Layout};
use ordain_data::yaml::psych;
use ordain_data::{Map, Value as Data};
use rustc_hash::FxHashMap;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::value::Value;

pub(super) const TABLE: &[Method] = &[
    m("to_json", 0, -1, |i, v, a| {
        if !a.list.is_empty() {
            return i.unsupported("`to_json' with options");
        }
        to_json(i, v, &Layout::COMPACT)
    }),
    m("to_yaml", 0, 1, |i, v, a| {
        if !a.list.is_empty() {
            return i.unsupported("`to_yaml' with options");
        }
        to_yaml(i, v)
    }),
];

/// The part of a value that has no form in JSON or YAML.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Json,
    Yaml,
}

pub(super) fn to_json(i: &mut Interp<'_>, v: &Value, layout: &Layout<'_>) -> Eval {
    let data = i.data(v, Target::Json, &mut Shared::default())?;
    let text = json::write(&data, layout);
    i.text(text)
}

pub(super) fn to_yaml(i: &mut Interp<'_>, v: &Value) -> Eval {
    let data = i.data(v, Target::Yaml, &mut Shared::default())?;
    // A list or hash with several references is written once.
    let text = psych::write_with(&data, psych::Options { anchors: true, ..Default::default() });
    i.text(text)
}

/// Converts plain data to a value.
pub(super) fn from_data(i: &mut Interp<'_>, data: &Data) -> Eval {
    i.charge(32)?;
    Ok(match data {
        Data::Null => Value::Nil,
        Data::Bool(b) => Value::Bool(*b),
        Data::Int(n) => Value::Int(*n),
        Data::BigInt(digits) => match digits.parse() {
            Ok(big) => Value::big(big),
            Err(_) => Value::Nil,
        },
        Data::Float(f) => Value::Float(*f),
        Data::Str(text) => Value::str(text.clone()),
        Data::List(items) => {
            i.check_stack()?;
            let mut out = Vec::with_capacity(items.len());
            for item in items.iter() {
                out.push(from_data(i, item)?);
            }
            Value::array(out)
        }
        Data::Map(map) => {
            i.check_stack()?;
            let mut out = Vec::with_capacity(map.len());
            for (key, value) in map.iter() {
                out.push((from_data(i, key)?, from_data(i, value)?));
            }
            Value::hash(out)
        }
        Data::Bytes(_) | Data::Secret(_) => return i.unsupported("this data"),
    })
}

/// The data of lists and hashes with other references, by address.
type Shared = FxHashMap<usize, Data>;

/// The address of a list or hash that has other references.
fn shared(v: &Value) -> Option<usize> {
    match v {
        Value::Array(array) if Rc::strong_count(array) > 1 => Some(Rc::as_ptr(array) as usize),
        Value::Hash(hash) if Rc::strong_count(hash) > 1 => Some(Rc::as_ptr(hash) as usize),
        _ => None,
    }
}

impl Interp<'_> {
    fn data(&mut self, v: &Value, target: Target, known: &mut Shared) -> Eval<Data> {
        self.steps(1)?;
        self.charge(32)?;
        // JSON repeats shared values, so the cost is the size of the output.
        let address = shared(v).filter(|_| target == Target::Yaml);
        if let Some(data) = address.and_then(|address| known.get(&address)) {
            return Ok(data.clone());
        }
        let data = self.new_data(v, target, known)?;
        if let Some(address) = address {
            known.insert(address, data.clone());
        }
        Ok(data)
    }

    fn new_data(&mut self, v: &Value, target: Target, known: &mut Shared) -> Eval<Data> {
        Ok(match v {
            Value::Nil => Data::Null,
            Value::Bool(b) => Data::Bool(*b),
            Value::Int(n) => Data::Int(*n),
            Value::Big(big) => Data::BigInt(big.to_string().into()),
            Value::Float(f) if f.is_finite() || target == Target::Yaml => Data::Float(*f),
            Value::Float(f) => {
                let text = format!("{} not allowed in JSON", ordain_functions::float::to_ruby(*f));
                return self.raise(Class::STANDARD_ERROR, text);
            }
            Value::Str(text) => Data::Str(text.get()),
            Value::Symbol(name) if target == Target::Json => Data::Str(name.clone()),
            Value::Array(array) => {
                self.check_stack()?;
                let mut out = Vec::with_capacity(array.len());
                for item in array.get() {
                    out.push(self.data(&item, target, known)?);
                }
                Data::List(Arc::new(out))
            }
            Value::Hash(hash) => {
                self.check_stack()?;
                let mut out = Map::default();
                for (key, value) in hash.pairs() {
                    let key = match (&key, target) {
                        (Value::Str(text), _) => Data::Str(text.get()),
                        (key, Target::Json) => Data::Str(self.display(key)?),
                        // Keys may be temporary copies whose addresses are reused.
                        (key, Target::Yaml) => self.data(key, target, &mut Shared::default())?,
                    };
                    let value = self.data(&value, target, known)?;
                    out.insert(key, value);
                }
                Data::Map(Arc::new(out))
            }
            Value::Class(_) | Value::Range(_) | Value::Foreign(_) if target == Target::Json => {
                Data::Str(self.display(v)?)
            }
            other => {
                let class = self.class_name(other);
                return self.unsupported(format!("{class} as data"));
            }
        })
    }
}

/// The arguments of functions such as `JSON.generate`: one value.
pub(super) fn only(i: &mut Interp<'_>, a: &mut Args) -> Eval {
    match a.list.as_slice() {
        [value] => Ok(value.clone()),
        _ => i.unsupported("options of a writer"),
    }
}
