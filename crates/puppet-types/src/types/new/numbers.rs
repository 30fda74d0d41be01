//! Conversions to numbers and truth values.

use super::host::Host;
use crate::error::{EvalResult, PlainError, plain};
use crate::types::library::parse_static;
use crate::types::mismatch::describe_mismatch;
use crate::types::{generalize, infer, infer_set, is_instance};
use crate::value::Value;
use crate::value::number::to_number;
use crate::value::text::to_text;

/// The error for arguments that cannot be converted: by text, else by type.
pub(super) fn explain(name: &str, kind: &str, args: &[Value]) -> Option<EvalResult> {
    let (from, rest) = args.split_first()?;
    if rest.len() > 1 || rest.iter().any(|v| !matches!(v, Value::Bool(_))) {
        return None;
    }
    Some(Err(PlainError::of_call(name, cannot(from, kind)).into()))
}

fn cannot(from: &Value, kind: &str) -> String {
    match from {
        Value::Str(text) if kind != "Array" => {
            format!("The string '{text}' cannot be converted to {kind}")
        }
        other => {
            let of = generalize(&infer(other));
            format!("Value of type {of} cannot be converted to {kind}")
        }
    }
}

/// As [`explain`], for integers, also checking the radix.
pub(super) fn explain_integer(name: &str, args: &[Value]) -> Option<EvalResult> {
    if let [hash @ Value::Hash(_)] = args {
        if let Some(radix) = hash.get("radix")
            && let Some(error) = bad_radix(radix)
        {
            return Some(error);
        }
        return Some(match hash.get("from") {
            Some(from) => Err(PlainError::of_call(name, cannot(from, "Integer")).into()),
            None => {
                let expected = parse_static(
                    "Struct[{from => Scalar, Optional[radix] => Any, Optional[abs] => Boolean}]",
                );
                plain(describe_mismatch("Integer.new has wrong type,", &expected, &infer_set(hash)))
            }
        });
    }
    let (from, rest) = args.split_first()?;
    let fits = match rest {
        [] => true,
        [radix] => matches!(radix, Value::Int(_)),
        [radix, abs] => matches!(radix, Value::Int(_)) && matches!(abs, Value::Bool(_)),
        _ => false,
    };
    if !fits {
        return None;
    }
    if let Some(error) = rest.first().and_then(bad_radix) {
        return Some(error);
    }
    Some(Err(PlainError::of_call(name, cannot(from, "Integer")).into()))
}

fn bad_radix(radix: &Value) -> Option<EvalResult> {
    if matches!(radix, Value::Default | Value::Int(2 | 8 | 10 | 16)) {
        return None;
    }
    let radix = to_text(radix);
    Some(plain(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default")))
}

const NANOS: i128 = 1_000_000_000;

fn whole(f: f64) -> EvalResult {
    let whole = f.trunc();
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if !whole.is_finite() {
        let text = if f.is_nan() { "NaN".into() } else { to_text(&Value::Float(f)) };
        return plain(text);
    }
    match (-LIMIT..LIMIT).contains(&whole) {
        true => Ok(Value::Int(whole as i64)),
        false => Ok(Value::big_integer(&format!("{whole:.0}"))),
    }
}

/// Ruby's `Integer(text, radix)`, with blanks allowed behind the sign.
fn integer_of_text(text: &str, radix: Option<u32>) -> EvalResult {
    let invalid = || plain(format!("invalid value for Integer(): {text:?}"));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.trim_start();
    let prefixed = |lower: &str| {
        digits.get(..2).filter(|p| p.eq_ignore_ascii_case(lower)).map(|_| &digits[2..])
    };
    let (radix, digits) = match radix {
        Some(16) => (16, prefixed("0x").unwrap_or(digits)),
        Some(2) => (2, prefixed("0b").unwrap_or(digits)),
        Some(8) => (8, prefixed("0o").unwrap_or(digits)),
        Some(radix) => (radix, digits),
        None => match (prefixed("0x"), prefixed("0b")) {
            (Some(hex), _) => (16, hex),
            (_, Some(bits)) => (2, bits),
            _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
            _ => (10, digits),
        },
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return invalid();
    }
    match ordain_data::number::integer(negative, digits, radix) {
        Some(value) => Ok(crate::value::rich::from_data(&value)),
        None => plain(format!("The value {text} has too many digits")),
    }
}

fn absolute(value: Value, abs: Option<&Value>) -> EvalResult {
    if !abs.is_some_and(Value::is_true) {
        return Ok(value);
    }
    match value {
        Value::Int(i) => match i.checked_abs() {
            Some(i) => Ok(Value::Int(i)),
            None => Ok(Value::big_integer(&i.unsigned_abs().to_string())),
        },
        Value::Float(f) => Ok(Value::Float(f.abs())),
        Value::Runtime(number) if number.is_integer() => {
            Ok(Value::big_integer(number.text.trim_start_matches('-')))
        }
        other => Ok(other),
    }
}

/// The arguments, given in order or in one hash.
fn arguments<'a>(
    chosen: usize,
    args: &'a [Value],
    names: &[&str],
) -> (&'a Value, Vec<Option<&'a Value>>) {
    match chosen {
        0 => (&args[0], (0..names.len()).map(|i| args.get(i + 1)).collect()),
        _ => {
            let from = args[0].get("from").unwrap_or(&Value::Undef);
            (from, names.iter().map(|name| args[0].get(name)).collect())
        }
    }
}

/// `Integer.new`
pub(super) fn integer(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let (from, options) = arguments(chosen, args, &["radix", "abs"]);
    let radix = options[0].and_then(Value::as_int).and_then(|r| u32::try_from(r).ok());
    let value = match from {
        Value::Int(i) => Value::Int(*i),
        Value::Float(f) => whole(*f)?,
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Timespan(ns) | Value::Timestamp(ns) => {
            let seconds = ns.div_euclid(NANOS);
            match i64::try_from(seconds) {
                Ok(seconds) => Value::Int(seconds),
                Err(_) => Value::big_integer(&seconds.to_string()),
            }
        }
        other => integer_of_text(other.as_str().unwrap_or_default(), radix)?,
    };
    absolute(value, options[1])
}

fn float_of(from: &Value) -> EvalResult<f64> {
    Ok(match from {
        Value::Float(f) => *f,
        Value::Int(i) => *i as f64,
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Timespan(ns) | Value::Timestamp(ns) => ordain_functions::time::seconds(**ns),
        other => {
            let text = other.as_str().unwrap_or_default();
            let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let unsigned = bare.trim_start_matches(['+', '-']).to_ascii_lowercase();
            if unsigned.starts_with("0x") || unsigned.starts_with("0b") {
                match integer_of_text(&bare, None)? {
                    Value::Int(i) => i as f64,
                    _ => f64::NAN,
                }
            } else {
                match bare.parse() {
                    Ok(f) => f,
                    Err(_) => return plain(format!("invalid value for Float(): {text:?}")),
                }
            }
        }
    })
}

/// `Float.new`
pub(super) fn float(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let (from, options) = arguments(chosen, args, &["abs"]);
    absolute(Value::Float(float_of(from)?), options[0])
}

/// `Numeric.new`
pub(super) fn numeric(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let (from, options) = arguments(chosen, args, &["abs"]);
    let value = match from {
        Value::Int(_) | Value::Float(_) => from.clone(),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        Value::Str(text) if text.to_ascii_lowercase().starts_with("0b") => {
            integer_of_text(text, None)?
        }
        Value::Str(text) => match to_number(text) {
            Some(number) => number,
            None => integer_of_text(text, None).or_else(|_| float_of(from).map(Value::Float))?,
        },
        other => Value::Float(float_of(other)?),
    };
    absolute(value, options[0])
}

/// `Boolean.new`
pub(super) fn boolean(from: &Value) -> bool {
    match from {
        Value::Int(i) => *i != 0,
        Value::Float(f) => *f != 0.0,
        Value::Bool(b) => *b,
        Value::Str(text) => {
            is_instance(&parse_static("Enum['true', 'yes', 'y', true]"), &Value::Str(text.clone()))
        }
        _ => false,
    }
}
