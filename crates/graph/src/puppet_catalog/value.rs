//! Puppet's rich data.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_data::{Map, Value};
use serde::ser::{Serialize, Serializer};
use serde_json::{Number, Value as Json, json};

/// A value as Puppet's rich data. Secrets inside are in clear, as agents need them.
pub fn write_rich(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => Json::Bool(*b),
        Value::Int(i) => Json::from(*i),
        Value::BigInt(digits) => Json::from(&**digits),
        Value::Float(x) => Number::from_f64(*x).map_or(Json::Null, Json::Number),
        Value::Str(s) => Json::from(s.as_str()),
        Value::Bytes(b) => json!({ "__ptype": "Binary", "__pvalue": STANDARD.encode(b) }),
        Value::List(items) => items.iter().map(write_rich).collect(),
        Value::Map(map) => write_map(map),
        Value::Secret(inner) => json!({ "__ptype": "Sensitive", "__pvalue": write_rich(inner) }),
    }
}

/// A value that is written as rich data.
pub struct Rich<'a>(pub &'a Value);

impl Serialize for Rich<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(i) => serializer.serialize_i64(*i),
            Value::Str(s) => serializer.serialize_str(s),
            Value::List(items) => serializer.collect_seq(items.iter().map(Rich)),
            Value::Map(map) if map.keys().all(|k| k.as_str().is_some()) => {
                serializer.collect_map(map.iter().filter_map(|(k, v)| Some((k.as_str()?, Rich(v)))))
            }
            other => write_rich(other).serialize(serializer),
        }
    }
}

fn write_map(map: &Map) -> Json {
    if map.keys().all(|k| k.as_str().is_some()) {
        let entries =
            map.iter().filter_map(|(k, v)| Some((k.as_str()?.to_string(), write_rich(v))));
        return Json::Object(entries.collect());
    }
    let flat = map.iter().flat_map(|(k, v)| [write_rich(k), write_rich(v)]);
    json!({ "__ptype": "Hash", "__pvalue": flat.collect::<Vec<_>>() })
}

/// The value of Puppet's rich data. Types and objects that are not plain data stay maps.
pub fn read_rich(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Int(i),
            None if n.is_u64() => Value::BigInt(n.to_string().into()),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => Value::str(s.as_str()),
        Json::Array(items) => Value::list(items.iter().map(read_rich)),
        Json::Object(object) => {
            let kind = object.get("__ptype").and_then(Json::as_str);
            let special = kind.zip(object.get("__pvalue")).and_then(|(k, v)| read_special(k, v));
            special.unwrap_or_else(|| {
                let entries = object.iter().map(|(k, v)| (Value::str(k.as_str()), read_rich(v)));
                Value::Map(Arc::new(entries.collect()))
            })
        }
    }
}

fn read_special(kind: &str, inner: &Json) -> Option<Value> {
    match kind {
        "Sensitive" => Some(Value::Secret(Arc::new(read_rich(inner)))),
        "Binary" => Some(Value::Bytes(STANDARD.decode(inner.as_str()?).ok()?.into())),
        "Hash" => {
            let pairs = inner.as_array()?.chunks(2).map(|pair| match pair {
                [k, v] => Some((read_rich(k), read_rich(v))),
                _ => None,
            });
            Some(Value::Map(Arc::new(pairs.collect::<Option<Map>>()?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_lacks_reads_back() {
        let mut odd = Map::default();
        odd.insert(Value::Int(1), Value::str("one"));
        let value = Value::list([
            Value::Secret(Arc::new(Value::str("s"))),
            Value::Bytes(Arc::from([0u8, 255].as_slice())),
            Value::Map(Arc::new(odd)),
        ]);
        assert_eq!(read_rich(&write_rich(&value)), value);
    }

    #[test]
    fn unknown_objects_stay() {
        let json = json!({ "__ptype": "Deferred", "name": "f", "arguments": [1] });
        assert_eq!(write_rich(&read_rich(&json)), json);
    }
}
