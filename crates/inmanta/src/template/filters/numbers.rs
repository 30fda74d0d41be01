//! Filters for numbers.

use num_bigint::{BigInt, Sign};
use ordain_functions::text::{is_python_space, repr_python};

use super::super::arguments::BoundArguments;
use super::super::ast::Binary;
use super::super::fault::{Fault, Res, argument_error, type_error, value_error};
use super::super::operators::{self, truncated};
use super::super::runtime::Runtime;
use super::super::value::Val;
use crate::diagnostics::Exception;

pub(super) fn absolute(value: &Val) -> Res<Val> {
    match value {
        Val::Float(number) => Ok(Val::Float(number.abs())),
        _ => match value.as_integer() {
            Some(number) if number.sign() == Sign::Minus => Ok(Val::int(-number)),
            Some(number) => Ok(Val::int(number)),
            None => Err(bad_operand(value)),
        },
    }
}

fn bad_operand(value: &Val) -> Fault {
    type_error(format!("bad operand type for abs(): '{}'", value.type_name()))
}

/// Python's `float(value)`.
fn to_float(runtime: &mut Runtime<'_>, value: &Val) -> Res<f64> {
    match value {
        Val::Str(text) | Val::Markup(text) => {
            let found = ordain_functions::float::parse_python(text);
            found.map_err(|error| value_error(error.to_string()))
        }
        Val::Undefined(found) => Err(found.fault(runtime)),
        _ if value.is_number() => operators::float(value),
        _ => {
            let class = value.type_name();
            let text = format!("float() argument must be a string or a real number, not '{class}'");
            Err(type_error(text))
        }
    }
}

pub(super) fn float(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    match to_float(runtime, &bound.at(0)) {
        Ok(number) => Ok(Val::Float(number)),
        Err(fault) if fault.is(&Exception::TypeError) || fault.is(&Exception::ValueError) => {
            Ok(bound.get(1).cloned().unwrap_or(Val::Float(0.0)))
        }
        Err(fault) => Err(fault),
    }
}

/// Python's `int(text, base)`.
fn parsed(text: &str, base: i64) -> Res<BigInt> {
    if base != 0 && !(2..=36).contains(&base) {
        return Err(value_error("int() base must be >= 2 and <= 36, or 0"));
    }
    let invalid = || {
        let text = repr_python(text);
        value_error(format!("invalid literal for int() with base {base}: {text}"))
    };
    if base == 10 {
        return ordain_functions::integer::parse_python(text).map_err(|_| invalid());
    }
    let trimmed = text.trim_matches(is_python_space);
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let start = unsigned.get(..2).unwrap_or_default().to_ascii_lowercase();
    let prefix = match start.as_str() {
        "0x" => Some(16),
        "0o" => Some(8),
        "0b" => Some(2),
        _ => None,
    };
    let (digits, base) = match prefix {
        Some(found) if base == 0 || base == found => {
            (unsigned[2..].strip_prefix('_').unwrap_or(&unsigned[2..]), found)
        }
        _ if base == 0 => (unsigned, 10),
        _ => (unsigned, base),
    };
    let is_fine = !digits.is_empty()
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__")
        && digits.len() < 10_000;
    let plain = digits.replace('_', "");
    let number = is_fine.then(|| BigInt::parse_bytes(plain.as_bytes(), base as u32)).flatten();
    let number = number.filter(|_| !plain.starts_with(['+', '-'])).ok_or_else(invalid)?;
    Ok(if trimmed.starts_with('-') { -number } else { number })
}

pub(super) fn int(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let base = bound.get(2).map_or(Ok(10), Val::as_index);
    let found = match (&value, base) {
        (Val::Str(text) | Val::Markup(text), Ok(base)) => parsed(text, base).map(Val::int),
        (Val::Str(_) | Val::Markup(_), Err(fault)) => Err(fault),
        (Val::Float(number), _) => truncated(*number),
        (Val::Undefined(found), _) => return Err(found.fault(runtime)),
        _ => match value.as_integer() {
            Some(number) => Ok(Val::int(number)),
            None => Err(type_error("")),
        },
    };
    let is_expected =
        |fault: &Fault| fault.is(&Exception::TypeError) || fault.is(&Exception::ValueError);
    match found {
        Err(fault) if is_expected(&fault) => {}
        found => return found,
    }
    match to_float(runtime, &value).and_then(truncated) {
        Err(fault) if is_expected(&fault) || fault.is(&Exception::OverflowError) => {
            Ok(bound.get(1).cloned().unwrap_or(Val::Int(0)))
        }
        found => found,
    }
}

pub(super) fn round(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let precision = bound.get(1).cloned().unwrap_or(Val::Int(0));
    let method = bound.get(2).cloned().unwrap_or_else(|| Val::str("common"));
    let method = method.as_text().cloned().unwrap_or_default();
    match method.as_str() {
        "common" => return rounded(&value, &precision),
        "ceil" | "floor" => {}
        _ => return argument_error("method must be common, ceil or floor"),
    }
    let scale = runtime.binary(Binary::Power, &Val::Int(10), &precision)?;
    let scaled = runtime.binary(Binary::Multiply, &value, &scale)?;
    let whole = match &scaled {
        Val::Float(number) => {
            truncated(if method == "ceil" { number.ceil() } else { number.floor() })?
        }
        other if other.as_integer().is_some() => other.clone(),
        other => {
            let class = other.type_name();
            return Err(type_error(format!("must be real number, not {class}")));
        }
    };
    runtime.binary(Binary::Divide, &whole, &scale)
}

/// Python's `round` with a number of digits.
fn rounded(value: &Val, precision: &Val) -> Res<Val> {
    match value {
        Val::Float(number) => {
            if matches!(precision, Val::None) {
                return truncated(number.round_ties_even());
            }
            Ok(Val::Float(round_float(*number, precision.as_index()?)))
        }
        _ => match value.as_integer() {
            Some(number) => {
                let digits =
                    if matches!(precision, Val::None) { 0 } else { precision.as_index()? };
                Ok(Val::int(round_integer(number, digits)))
            }
            None => {
                let class = value.type_name();
                Err(type_error(format!("type {class} doesn't define __round__ method")))
            }
        },
    }
}

fn round_integer(number: BigInt, digits: i64) -> BigInt {
    if digits >= 0 {
        return number;
    }
    let Some(places) = u32::try_from(digits.unsigned_abs()).ok().filter(|n| *n < 5000) else {
        return BigInt::default();
    };
    let unit = BigInt::from(10).pow(places);
    let magnitude = BigInt::from(number.magnitude().clone());
    let (quotient, rest) = (&magnitude / &unit, &magnitude % &unit);
    let twice = &rest * 2;
    let is_up = twice > unit || (twice == unit && quotient.bit(0));
    let found = (quotient + u8::from(is_up)) * unit;
    if number.sign() == Sign::Minus { -found } else { found }
}

fn round_float(number: f64, digits: i64) -> f64 {
    if !number.is_finite() || digits > 320 {
        return number;
    }
    if digits < -310 {
        return 0.0_f64.copysign(number);
    }
    if digits >= 0 {
        // Formatting rounds the exact value, ties to even, as Python does.
        let digits = usize::try_from(digits).unwrap_or(0);
        return format!("{number:.digits$}").parse().unwrap_or(number);
    }
    let whole = format!("{number:.0}").parse::<BigInt>().unwrap_or_default();
    let is_tie_broken = number.fract() != 0.0;
    let unit = BigInt::from(10).pow(u32::try_from(digits.unsigned_abs()).unwrap_or(0));
    // A fraction breaks a tie.
    let scaled = if is_tie_broken {
        let twice = (number.trunc() * 2.0).to_string();
        let twice: BigInt = twice.parse().unwrap_or_default();
        let sign = if number < 0.0 { -1 } else { 1 };
        let half = twice + sign;
        round_half(half, &unit)
    } else {
        round_integer(whole, digits)
    };
    let found: f64 = scaled.to_string().parse().unwrap_or(number);
    if found == 0.0 { found.copysign(number) } else { found }
}

/// Half of a number, rounded to a multiple of the unit. There is never a tie.
fn round_half(twice: BigInt, unit: &BigInt) -> BigInt {
    let double = unit * 2;
    let magnitude = BigInt::from(twice.magnitude().clone());
    let (quotient, rest) = (&magnitude / &double, &magnitude % &double);
    let found: BigInt = (quotient + u8::from(rest > *unit)) * unit;
    if twice.sign() == Sign::Minus { -found } else { found }
}

pub(super) fn file_size(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let bytes = to_float(runtime, &bound.at(0))?;
    let is_binary = bound.get(1).map_or(Ok(false), |value| runtime.truth(value))?;
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    if bytes == 1.0 {
        return Ok(Val::str("1 Byte"));
    }
    if bytes < base {
        let whole = truncated(bytes)?;
        let whole = runtime.text(&whole)?;
        return Ok(Val::str(format!("{whole} Bytes")));
    }
    let prefixes = if is_binary {
        ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]
    } else {
        ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]
    };
    let mut unit = base;
    let mut shown = String::new();
    for prefix in prefixes {
        unit *= base;
        shown = format!("{:.1} {prefix}", base * bytes / unit);
        if bytes < unit {
            break;
        }
    }
    Ok(Val::str(shown))
}
