//! The functions that statements for SQLite call.

mod document;
mod posix;
mod to_char;

use std::cmp::Ordering;
use std::sync::Arc;

use ordain_fleet_store::{FunctionBody, SqlFunction, Value};
use serde_json::Value as Json;

pub use posix::check_pattern;
pub(crate) use posix::take_refusal;

/// The functions that SQLite needs for queries; [`ordain_fleet_store::Sqlite::open`] takes them.
///
/// They give the results of PostgreSQL: regular expressions in POSIX syntax, the order and the
/// containment of `jsonb`, and `to_char` for times.
#[must_use]
pub fn sqlite_functions() -> Vec<SqlFunction> {
    let mut functions = Vec::from(comparisons());
    functions.extend(conversions());
    functions.push(function("regexp", 2, |arguments| {
        let [pattern, text] = strings(arguments)?;
        let (Some(pattern), Some(text)) = (pattern, text) else { return Ok(Value::Null) };
        posix::is_match(&pattern, &text).map(truth)
    }));
    functions.push(function("pdb_to_char", 2, |arguments| match arguments {
        [Value::Integer(micros), Value::Text(mask)] => {
            Ok(Value::Text(to_char::to_char(*micros, mask)))
        }
        _ => Ok(Value::Null),
    }));
    functions
}

fn function(
    name: &'static str,
    arguments: i32,
    body: fn(&[Value]) -> Result<Value, String>,
) -> SqlFunction {
    let body: FunctionBody = Arc::new(body);
    SqlFunction { name, arguments, body }
}

/// The functions that compare two JSON documents, or take a part of one.
fn comparisons() -> [SqlFunction; 5] {
    [
        function("pdb_equal", 2, |arguments| {
            both(arguments, |left, right| Ok(truth(document::compare(left, right).is_eq())))
        }),
        function("pdb_compare", 2, |arguments| {
            both(arguments, |left, right| {
                Ok(Value::Integer(match document::compare(left, right) {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                }))
            })
        }),
        function("pdb_contains", 2, |arguments| {
            both(arguments, |left, right| Ok(truth(document::contains(left, right))))
        }),
        function("pdb_at", 2, |arguments| {
            both(arguments, |left, path| Ok(json(document::at(left, path))))
        }),
        function("pdb_at_loose", 2, |arguments| {
            both(arguments, |left, path| Ok(json(document::at_loose(left, path))))
        }),
    ]
}

/// The functions that convert one JSON document or number.
fn conversions() -> [SqlFunction; 6] {
    [
        function("pdb_text", 1, |arguments| {
            one(arguments, |value| match value {
                Json::Null => Value::Null,
                Json::String(text) => Value::Text(text.clone()),
                other => Value::Text(document::jsonb_text(other)),
            })
        }),
        function("pdb_canonical", 1, |arguments| {
            one(arguments, |value| Value::Text(document::canonical(value).to_string()))
        }),
        function("pdb_typeof", 1, |arguments| {
            one(arguments, |value| Value::from(document::type_of(value)))
        }),
        function("pdb_number", 1, |arguments| {
            one(arguments, |value| match value {
                Json::Number(number) => match number.as_i64() {
                    Some(integer) => Value::Integer(integer),
                    None => number.as_f64().map_or(Value::Null, Value::Float),
                },
                _ => Value::Null,
            })
        }),
        function("pdb_order", 1, |arguments| {
            one(arguments, |value| Value::Bytes(document::order_key(value)))
        }),
        function("pdb_float", 1, |arguments| {
            Ok(match arguments.first() {
                Some(Value::Float(number)) => Value::Text(Json::from(*number).to_string()),
                Some(Value::Integer(number)) => Value::Text(format!("{number}.0")),
                _ => Value::Null,
            })
        }),
    ]
}

fn truth(flag: bool) -> Value {
    Value::Integer(i64::from(flag))
}

fn json(value: Option<&Json>) -> Value {
    value.map_or(Value::Null, |value| Value::Text(value.to_string()))
}

/// The arguments as texts; `None` for null.
fn strings<const N: usize>(arguments: &[Value]) -> Result<[Option<String>; N], String> {
    let texts: Vec<_> = arguments
        .iter()
        .map(|value| match value {
            Value::Null => None,
            Value::Text(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(Json::from(*number).to_string()),
            Value::Boolean(flag) => Some(flag.to_string()),
            Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        })
        .collect();
    texts.try_into().map_err(|_| format!("{N} arguments are expected"))
}

/// Parses an argument. A number is its own JSON.
fn parse(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|error| format!("malformed JSON: {error}"))
}

fn one(arguments: &[Value], body: fn(&Json) -> Value) -> Result<Value, String> {
    let [text] = strings(arguments)?;
    text.map_or(Ok(Value::Null), |text| parse(&text).map(|value| body(&value)))
}

fn both(
    arguments: &[Value],
    body: fn(&Json, &Json) -> Result<Value, String>,
) -> Result<Value, String> {
    let [left, right] = strings(arguments)?;
    let (Some(left), Some(right)) = (left, right) else { return Ok(Value::Null) };
    body(&parse(&left)?, &parse(&right)?)
}
