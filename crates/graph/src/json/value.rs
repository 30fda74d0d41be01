//! Values as JSON.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_data::{Map, Redactor, Value};
use serde_json::{Map as Object, Number, Value as Json, json};

use super::error::ReadError;

/// Whether the values of secrets are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Secrets {
    /// Only that it is one.
    Omit,
    /// Includes them: the document is then as secret as they are.
    Include,
}

/// Replaces the parts of secrets in all texts.
pub fn redacted(json: Json, redactor: &Redactor) -> Json {
    if redactor.is_empty() {
        return json;
    }
    match json {
        Json::String(text) => Json::String(redactor.redact(&text).into_owned()),
        Json::Array(items) => items.into_iter().map(|item| redacted(item, redactor)).collect(),
        Json::Object(map) => {
            let entries = map.into_iter();
            let entries = entries.map(|(key, value)| {
                (redactor.redact(&key).into_owned(), redacted(value, redactor))
            });
            Json::Object(entries.collect())
        }
        other => other,
    }
}

/// A value as JSON. Types that JSON lacks become an object with one key that begins with `$`.
pub fn write_value(value: &Value, secrets: Secrets) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => Json::Bool(*b),
        Value::Int(i) => Json::from(*i),
        Value::BigInt(digits) => json!({ "$integer": &**digits }),
        Value::Float(x) => {
            Number::from_f64(*x).map_or_else(|| json!({ "$float": x.to_string() }), Json::Number)
        }
        Value::Str(s) => Json::from(s.as_str()),
        Value::Bytes(b) => json!({ "$bytes": STANDARD.encode(b) }),
        Value::List(items) => items.iter().map(|v| write_value(v, secrets)).collect(),
        Value::Map(map) => write_map(map, secrets),
        Value::Secret(_) if secrets == Secrets::Omit || is_omitted(value) => {
            json!({ "$secret": true })
        }
        Value::Secret(inner) => json!({ "$secret": true, "value": write_value(inner, secrets) }),
    }
}

fn write_map(map: &Map, secrets: Secrets) -> Json {
    let plain = map.keys().all(|k| k.as_str().is_some_and(|k| !k.starts_with('$')));
    if plain {
        let entries = map.iter().filter_map(|(k, v)| Some((k.as_str()?, v)));
        let entries = entries.map(|(k, v)| (k.to_string(), write_value(v, secrets)));
        return Json::Object(entries.collect::<Object<_, _>>());
    }
    let pairs = map.iter().map(|(k, v)| json!([write_value(k, secrets), write_value(v, secrets)]));
    json!({ "$map": pairs.collect::<Vec<_>>() })
}

/// A placeholder for an omitted secret.
fn omitted() -> Value {
    Value::Secret(Arc::new(Value::map([("$secret", Value::Bool(true))])))
}

/// Whether this is the placeholder for an omitted secret.
pub fn is_omitted(value: &Value) -> bool {
    matches!(value, Value::Secret(inner) if inner.get("$secret").is_some())
}

/// Reads a value from [`write_value`].
///
/// # Errors
/// For an object with an unknown `$` key.
pub fn read_value(json: &Json) -> Result<Value, ReadError> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => read_number(n),
        Json::String(s) => Value::str(s.as_str()),
        Json::Array(items) => {
            Value::List(Arc::new(items.iter().map(read_value).collect::<Result<_, _>>()?))
        }
        Json::Object(object) => match object.iter().next() {
            Some((key, inner)) if key.starts_with('$') => read_special(key, inner, object)?,
            _ => {
                let entries =
                    object.iter().map(|(k, v)| Ok((Value::str(k.as_str()), read_value(v)?)));
                Value::Map(Arc::new(entries.collect::<Result<Map, ReadError>>()?))
            }
        },
    })
}

fn read_number(number: &Number) -> Value {
    match (number.as_i64(), number.as_u64()) {
        (Some(i), _) => Value::Int(i),
        (None, Some(u)) => Value::BigInt(u.to_string().into()),
        (None, None) => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}

fn read_special(
    key: &str,
    inner: &Json,
    object: &Object<String, Json>,
) -> Result<Value, ReadError> {
    let bad = || ReadError::new(format!("`{key}` has an invalid value"));
    let text = inner.as_str().ok_or_else(bad);
    match key {
        "$integer" => {
            let text = text?;
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if is_integer { Ok(Value::BigInt(text.into())) } else { Err(bad()) }
        }
        "$float" => Ok(Value::Float(text?.parse().map_err(|_| bad())?)),
        "$bytes" => Ok(Value::Bytes(STANDARD.decode(text?).map_err(|_| bad())?.into())),
        "$secret" => match object.get("value") {
            Some(value) => Ok(Value::Secret(Arc::new(read_value(value)?))),
            None => Ok(omitted()),
        },
        "$map" => {
            let pairs =
                inner.as_array().ok_or_else(bad)?.iter().map(|pair| match pair.as_array() {
                    Some(pair) if pair.len() == 2 => {
                        Ok((read_value(&pair[0])?, read_value(&pair[1])?))
                    }
                    _ => Err(bad()),
                });
            Ok(Value::Map(Arc::new(pairs.collect::<Result<Map, ReadError>>()?)))
        }
        _ => Err(ReadError::new(format!("unknown kind of value `{key}`"))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kind_of_value_reads_back() {
        let mut odd = Map::default();
        odd.insert(Value::Int(1), Value::str("one"));
        let value = Value::list([
            Value::Null,
            Value::Int(-3),
            Value::BigInt("123456789012345678901234567890".into()),
            Value::Float(1.0),
            Value::Float(f64::INFINITY),
            Value::Bytes(Arc::from([0u8, 255].as_slice())),
            Value::Map(Arc::new(odd)),
            Value::map([("$secret", Value::Bool(true))]),
            Value::Secret(Arc::new(Value::str("s"))),
        ]);
        let json = write_value(&value, Secrets::Include);
        let text = serde_json::to_string(&json).unwrap();
        assert_eq!(read_value(&serde_json::from_str(&text).unwrap()).unwrap(), value);
    }

    #[test]
    fn an_omitted_secret_stays_a_secret_and_is_known_as_omitted() {
        let value = Value::Secret(Arc::new(Value::str("hunter2")));
        let json = write_value(&value, Secrets::Omit);
        assert_eq!(json, json!({ "$secret": true }));
        let back = read_value(&json).unwrap();
        assert!(is_omitted(&back) && !is_omitted(&value));
        assert_eq!(write_value(&back, Secrets::Include), json);
    }
}
