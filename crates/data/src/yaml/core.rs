//! The core schema of YAML 1.2, chapter 10.3.

use std::sync::Arc;

use ecow::EcoString;

use super::error::ScalarError;
use super::ruby::unpack_base64;
use crate::Value;
use crate::number::integer;

/// The value of a plain scalar.
pub(super) fn value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {}
    }
    number(text).unwrap_or_else(|| Value::str(text))
}

fn number(text: &str) -> Option<Value> {
    if !matches!(text.as_bytes().first(), Some(b'0'..=b'9' | b'.' | b'-' | b'+')) {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return integer(false, digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return integer(false, digits, 16);
    }
    let (negative, body) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(body, ".inf" | ".Inf" | ".INF") {
        return Some(Value::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    integer(negative, body, 10)
        .or_else(|| is_float(body).then(|| text.parse().ok().map(Value::Float))?)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// The value of a scalar with a tag; application tags do not change it.
pub(super) fn tagged(tag: &str, text: &EcoString, plain: bool) -> Result<Value, ScalarError> {
    let Some(kind) = tag.strip_prefix("tag:yaml.org,2002:") else {
        return Ok(if plain && tag != "!" { value(text) } else { Value::Str(text.clone()) });
    };
    let found = value(text);
    let wrong = || Err(format!("`{text}` is not a {kind}").into());
    match (kind, &found) {
        ("str", _) => Ok(Value::Str(text.clone())),
        ("binary", _) => Ok(match String::from_utf8(unpack_base64(text)) {
            Ok(text) => text.into(),
            Err(e) => Value::Bytes(Arc::from(e.into_bytes())),
        }),
        ("int", Value::Int(_) | Value::BigInt(_))
        | ("bool", Value::Bool(_))
        | ("null", Value::Null)
        | ("float", Value::Float(_)) => Ok(found),
        ("float", Value::Int(n)) => Ok(Value::Float(*n as f64)),
        ("float", Value::BigInt(digits)) => Ok(Value::Float(digits.parse().unwrap_or(f64::NAN))),
        ("int" | "bool" | "null" | "float", _) => wrong(),
        _ => Ok(if plain { found } else { Value::Str(text.clone()) }),
    }
}
