//! Values in messages: plain JSON, and Puppet's rich data for everything else.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_data::Value;
use serde_json::{Map, Number, Value as Json, json};

/// The maximum depth of values; deeper parts are left out.
const MAX_DEPTH: usize = 200;

/// A value for a provider process.
pub(crate) fn to_json(value: &Value) -> Json {
    write(value, MAX_DEPTH)
}

fn write(value: &Value, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    match value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::BigInt(digits) => {
            digits.parse::<Number>().map_or_else(|_| Json::from(&**digits), Json::Number)
        }
        Value::Float(number) => {
            Number::from_f64(*number).map_or_else(|| Json::from(number.to_string()), Json::Number)
        }
        Value::Str(text) => Json::from(text.as_str()),
        Value::Bytes(bytes) => json!({ "__ptype": "Binary", "__pvalue": STANDARD.encode(bytes) }),
        Value::List(items) => items.iter().map(|item| write(item, depth)).collect(),
        Value::Secret(inner) => {
            json!({ "__ptype": "Sensitive", "__pvalue": write(inner, depth) })
        }
        Value::Map(entries) => {
            if entries.keys().all(|key| key.as_str().is_some()) {
                let entry = |(key, value): (&Value, &Value)| {
                    Some((key.as_str()?.to_string(), write(value, depth)))
                };
                return Json::Object(entries.iter().filter_map(entry).collect::<Map<_, _>>());
            }
            // Rich data represents such maps as a list of alternating keys and values.
            let pairs = entries.iter().flat_map(|(k, v)| [write(k, depth), write(v, depth)]);
            json!({ "__ptype": "Hash", "__pvalue": pairs.collect::<Vec<_>>() })
        }
    }
}

/// A value from a provider process.
pub(crate) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None if number.is_f64() => Value::Float(number.as_f64().unwrap_or_default()),
            None => Value::BigInt(number.to_string().into()),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(from_json)),
        Json::Object(object) => match (object.get("__ptype"), object.get("__pvalue")) {
            (Some(kind), Some(inner)) if kind == "Sensitive" => {
                Value::Secret(Arc::new(from_json(inner)))
            }
            (Some(kind), Some(inner)) if kind == "Symbol" => from_json(inner),
            _ => Value::Map(Arc::new(
                object
                    .iter()
                    .map(|(key, value)| (Value::str(key.as_str()), from_json(value)))
                    .collect(),
            )),
        },
    }
}

/// A value for a message to the user: `value` as text in a list or map too.
pub(crate) fn shown(json: &Json) -> Value {
    match from_json(json) {
        Value::Map(_) => Value::str(json.to_string()),
        value => value,
    }
}
