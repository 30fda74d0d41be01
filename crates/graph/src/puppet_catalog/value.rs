//! Puppet's rich data.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_data::{Map, Value};
use serde_json::Value as Json;

use super::text::Text;

/// Writes a value as Puppet's rich data. Secrets inside are in clear text, as agents need them.
pub(super) fn write_rich(out: &mut Text, value: &Value) {
    match value {
        Value::Null => out.word("null"),
        Value::Bool(b) => out.word(if *b { "true" } else { "false" }),
        Value::Int(i) => out.number(i),
        Value::BigInt(digits) => out.string(digits),
        Value::Float(x) if !x.is_finite() => out.word("null"),
        Value::Float(x) => out.number(x),
        Value::Str(s) => out.string(s),
        Value::Bytes(b) => special(out, "Binary", |out| out.string(&STANDARD.encode(b))),
        Value::List(items) => write_list(out, items.iter()),
        Value::Map(map) => write_map(out, map),
        Value::Secret(inner) => special(out, "Sensitive", |out| write_rich(out, inner)),
    }
}

/// A number in a value that JSON cannot represent.
pub(super) fn non_finite(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number).filter(|number| !number.is_finite()),
        Value::List(items) => items.iter().find_map(non_finite),
        Value::Map(map) => map.iter().find_map(|(k, v)| non_finite(k).or_else(|| non_finite(v))),
        Value::Secret(inner) => non_finite(inner),
        _ => None,
    }
}

fn special(out: &mut Text, kind: &str, value: impl FnOnce(&mut Text)) {
    out.begin(b'{');
    out.plain_key("__ptype");
    out.string(kind);
    out.plain_key("__pvalue");
    value(out);
    out.end(b'}');
}

fn write_list<'v>(out: &mut Text, items: impl IntoIterator<Item = &'v Value>) {
    out.begin(b'[');
    for item in items {
        out.item();
        write_rich(out, item);
    }
    out.end(b']');
}

fn write_map(out: &mut Text, map: &Map) {
    if map.keys().any(|k| k.as_str().is_none()) {
        let flat = map.iter().flat_map(|(k, v)| [k, v]);
        return special(out, "Hash", |out| write_list(out, flat));
    }
    out.begin(b'{');
    for (key, value) in map.iter() {
        out.key(key.as_str().unwrap_or_default());
        write_rich(out, value);
    }
    out.end(b'}');
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

    fn written(value: &Value) -> Json {
        let mut out = Text::default();
        write_rich(&mut out, value);
        serde_json::from_slice(out.bytes()).unwrap()
    }

    #[test]
    fn types_that_json_lacks_read_back() {
        let mut odd = Map::default();
        odd.insert(Value::Int(1), Value::str("one"));
        let value = Value::list([
            Value::Secret(Arc::new(Value::str("s"))),
            Value::Bytes(Arc::from([0u8, 255].as_slice())),
            Value::Map(Arc::new(odd)),
        ]);
        assert_eq!(read_rich(&written(&value)), value);
    }

    #[test]
    fn unknown_objects_stay() {
        let json = json!({ "__ptype": "Deferred", "name": "f", "arguments": [1] });
        assert_eq!(written(&read_rich(&json)), json);
    }
}
