//! Conversions of pydantic's lenient mode.

use crate::value::Value;

/// Converts a value to a number.
pub(super) fn lenient_number(value: &Value) -> Option<Value> {
    match value {
        Value::Str(text) => ordain_functions::float::parse_python(text).ok().map(Value::Float),
        number if number.is_number() => Some(number.clone()),
        _ => None,
    }
}

/// Converts a value to an integer: `"3"` and `3.0` are valid.
pub(super) fn lenient_integer(value: &Value) -> Option<Value> {
    match value {
        Value::Str(text) => {
            let text = text.trim();
            let whole = match text.split_once('.') {
                Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
                Some(_) => return None,
                None => text,
            };
            ordain_functions::integer::parse_python(whole).ok().map(Value::int)
        }
        Value::Float(number) if number.fract() == 0.0 => {
            crate::value::float_integer(*number).map(Value::int)
        }
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
        _ => None,
    }
}

/// Converts a value to a boolean.
pub(super) fn lenient_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Str(text) => match text.to_lowercase().as_str() {
            "1" | "true" | "t" | "yes" | "y" | "on" => Some(true),
            "0" | "false" | "f" | "no" | "n" | "off" => Some(false),
            _ => None,
        },
        number if *number == Value::Int(0) => Some(false),
        number if *number == Value::Int(1) => Some(true),
        _ => None,
    }
}
