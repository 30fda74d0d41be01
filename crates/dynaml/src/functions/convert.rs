//! Conversions, and functions of numbers.

use super::support::{eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::equal::parse_bool;
use crate::eval::evaluator::{Call, Table};
use crate::value::Value;

/// The name of a value's type in Go.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::List(_) => "[]yaml.Node",
        Value::Map(_) => "map[string]yaml.Node",
        Value::Lambda(_) => "dynaml.LambdaValue",
        Value::Template(_) => "dynaml.TemplateValue",
    }
}

fn only<'a>(call: &Call<'a, '_>, name: &str) -> Eval<&'a Value> {
    match call.args {
        [value] => Ok(value),
        _ => fail(format!("{name} requires one argument")),
    }
}

fn digits(n: i64, base: u64) -> String {
    let mut rest = n.unsigned_abs();
    let mut out = Vec::new();
    loop {
        let digit = u32::try_from(rest % base).unwrap_or(0);
        out.push(char::from_digit(digit, 36).unwrap_or('0'));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push('-');
    }
    out.iter().rev().collect()
}

fn string(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (value, base) = match call.args {
        [value] => (value, None),
        [value @ Value::Int(_), base] => (value, Some(base)),
        [Value::Int(_), ..] => return fail("string for integers requires one or two arguments"),
        _ => return fail("string requires one argument"),
    };
    Ok(match value {
        Value::Int(n) => {
            let base = match base {
                None => 10,
                Some(Value::Int(base @ 2..=36)) => base.unsigned_abs(),
                Some(Value::Int(_)) => {
                    return fail("base argument for string requires integer value >=2 and <=36 ");
                }
                Some(_) => return fail("base argument for string requires integer value"),
            };
            Value::str(digits(*n, base))
        }
        Value::Float(x) => Value::str(ordain_functions::float::to_go(*x)),
        other => match other.simple_text() {
            Some(text) => Value::Str(text),
            None => return fail(format!("cannot convert {} to string", go_type(other))),
        },
    })
}

fn truncated(x: f64) -> Value {
    Value::Int(x as i64)
}

fn integer(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(match only(call, "integer")? {
        Value::Str(s) => match s.parse() {
            Ok(n) => Value::Int(n),
            Err(_) => return fail(format!("{} is no integer value", crate::text::quoted(s))),
        },
        Value::Int(n) => Value::Int(*n),
        Value::Float(x) => truncated(*x),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        other => return fail(format!("cannot convert {} to integer", go_type(other))),
    })
}

fn float(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(match only(call, "float")? {
        Value::Str(s) => match s.parse() {
            Ok(x) => Value::Float(x),
            Err(_) => return fail(format!("{} is no float value", crate::text::quoted(s))),
        },
        Value::Int(n) => Value::Float(*n as f64),
        Value::Float(x) => Value::Float(*x),
        Value::Bool(b) => Value::Float(f64::from(u8::from(*b))),
        other => return fail(format!("cannot convert {} to float", go_type(other))),
    })
}

fn boolean(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(Value::Bool(match only(call, "bool")? {
        Value::Null => false,
        Value::Str(s) if s.is_empty() => false,
        Value::Str(s) => match parse_bool(s) {
            Some(b) => b,
            None => return fail(format!("{} is no bool value", crate::text::quoted(s))),
        },
        Value::Int(n) => *n != 0,
        Value::Float(x) => *x != 0.0,
        Value::Bool(b) => *b,
        other => return fail(format!("cannot convert {} to bool", go_type(other))),
    }))
}

/// Rounds to an integer.
fn rounded(call: &Call<'_, '_>, name: &str, round: fn(f64) -> f64) -> Eval<Value> {
    Ok(match only(call, name)? {
        Value::Int(n) => Value::Int(*n),
        Value::Float(x) => truncated(round(*x)),
        Value::Bool(b) => Value::Int(i64::from(*b)),
        other => {
            return fail(format!("invalid argument type for {name}: {}", go_type(other)));
        }
    })
}

fn abs(call: &mut Call<'_, '_>) -> Eval<Value> {
    match only(call, "abs")? {
        Value::Int(n) => Ok(Value::Int(n.wrapping_abs())),
        _ => calculated(call, "abs", f64::abs),
    }
}

fn calculated(call: &Call<'_, '_>, name: &str, function: fn(f64) -> f64) -> Eval<Value> {
    let value = only(call, name)?;
    let Some(x) = crate::eval::operators::number(value) else {
        return fail(format!("invalid argument type for {name}: {}", go_type(value)));
    };
    let result = function(x);
    if result.is_nan() {
        return fail(format!("{name}: NaN"));
    }
    Ok(Value::Float(result))
}

/// Wraps a function on numbers for the table.
macro_rules! number {
    ($how:ident, $name:literal, $doc:literal, $function:path) => {
        eager(concat!($name, "(number)"), $doc, |call| $how(call, $name, $function))
    };
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("string(value)", "The text of a value.", string),
        eager("integer(value)", "The whole number that a value stands for.", integer),
        eager("float(value)", "The floating point number that a value stands for.", float),
        eager("bool(value)", "The truth value that a value stands for.", boolean),
        eager("abs(number)", "A number without its sign.", abs),
        number!(rounded, "floor", "The largest whole number that is not larger.", f64::floor),
        number!(rounded, "ceil", "The smallest whole number that is not smaller.", f64::ceil),
        number!(rounded, "round", "The nearest whole number, halves away from zero.", f64::round),
        number!(
            rounded,
            "roundtoeven",
            "The nearest whole number, halves to the even one.",
            f64::round_ties_even
        ),
        number!(calculated, "sin", "The sine.", f64::sin),
        number!(calculated, "cos", "The cosine.", f64::cos),
        number!(calculated, "sinh", "The hyperbolic sine.", f64::sinh),
        number!(calculated, "cosh", "The hyperbolic cosine.", f64::cosh),
        number!(calculated, "asin", "The inverse of the sine.", f64::asin),
        number!(calculated, "acos", "The inverse of the cosine.", f64::acos),
        number!(calculated, "asinh", "The inverse of the hyperbolic sine.", f64::asinh),
        number!(calculated, "acosh", "The inverse of the hyperbolic cosine.", f64::acosh),
        number!(calculated, "sqrt", "The square root.", f64::sqrt),
        number!(calculated, "exp", "The exponential function.", f64::exp),
        number!(calculated, "log", "The natural logarithm.", f64::ln),
        number!(calculated, "log10", "The logarithm to the base 10.", f64::log10),
    ]);
}
