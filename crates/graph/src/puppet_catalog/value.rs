//! Puppet's rich data.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_data::{Map, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

/// A value as Puppet's rich data, to be serialised. Secrets inside are in clear, as agents need
/// them.
pub struct Rich<'a>(pub &'a Value);

impl Serialize for Rich<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(i) => serializer.serialize_i64(*i),
            Value::BigInt(digits) => serializer.serialize_str(digits),
            Value::Float(x) if !x.is_finite() => serializer.serialize_unit(),
            Value::Float(x) => serializer.serialize_f64(*x),
            Value::Str(s) => serializer.serialize_str(s),
            Value::Bytes(b) => special(serializer, "Binary", &STANDARD.encode(b)),
            Value::List(items) => serializer.collect_seq(items.iter().map(Rich)),
            Value::Map(map) => serialize_map(serializer, map),
            Value::Secret(inner) => special(serializer, "Sensitive", &Rich(inner)),
        }
    }
}

fn special<S: Serializer>(
    serializer: S,
    kind: &str,
    value: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("__ptype", kind)?;
    map.serialize_entry("__pvalue", value)?;
    map.end()
}

fn serialize_map<S: Serializer>(serializer: S, map: &Map) -> Result<S::Ok, S::Error> {
    if map.keys().all(|k| k.as_str().is_some()) {
        let entries = map.iter().filter_map(|(k, v)| Some((k.as_str()?, Rich(v))));
        return serializer.collect_map(entries);
    }
    let flat: Vec<Rich<'_>> = map.iter().flat_map(|(k, v)| [Rich(k), Rich(v)]).collect();
    special(serializer, "Hash", &flat)
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
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

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
        assert_eq!(read_rich(&serde_json::to_value(Rich(&value)).unwrap()), value);
    }

    #[test]
    fn unknown_objects_stay() {
        let json = json!({ "__ptype": "Deferred", "name": "f", "arguments": [1] });
        assert_eq!(serde_json::to_value(Rich(&read_rich(&json))).unwrap(), json);
    }
}
