//! Operators on values.

use ecow::EcoString;
use num_bigint::{BigInt, Sign};
use ordain_source::limits::most_text;

use crate::diagnostics::{Class, Error, Result};
use crate::syntax::ast::BinOp;
use crate::value::{Names, Value, compare_numbers};

/// The limit for the size of numbers, in bits.
const MAX_BITS: usize = 1 << 22;

/// Applies a binary operator.
///
/// # Errors
/// If the operator does not support these values.
pub(super) fn binary(op: BinOp, a: &Value, b: &Value, names: &dyn Names) -> Result<Value> {
    if op == BinOp::In {
        return contains(a, b, names);
    }
    if a.is_unknown() || b.is_unknown() {
        return Ok(Value::unknown(""));
    }
    match op {
        BinOp::Equal => Ok(Value::Bool(a == b)),
        BinOp::NotEqual => Ok(Value::Bool(a != b)),
        BinOp::Less | BinOp::LessEqual | BinOp::Greater | BinOp::GreaterEqual => {
            if !a.is_number() || !b.is_number() {
                return Err(Error::new(Class::Typing, "Can only compare numbers."));
            }
            let order = compare_numbers(a, b);
            Ok(Value::Bool(order.is_some_and(|order| match op {
                BinOp::Less => order.is_lt(),
                BinOp::LessEqual => order.is_le(),
                BinOp::Greater => order.is_gt(),
                _ => order.is_ge(),
            })))
        }
        _ => arithmetic(op, a, b, names),
    }
}

fn contains(a: &Value, b: &Value, names: &dyn Names) -> Result<Value> {
    if a.is_unknown() {
        return Ok(Value::unknown(""));
    }
    match b {
        Value::Dict(dict) => Ok(Value::Bool(a.as_str().is_some_and(|key| dict.contains_key(key)))),
        Value::List(items) => {
            if items.contains(a) {
                return Ok(Value::Bool(true));
            }
            let is_open = items.iter().any(Value::is_unknown);
            Ok(if is_open { Value::unknown("") } else { Value::Bool(false) })
        }
        _ => {
            let message =
                format!("Operand two of 'in' can only be a list or dict ({})", b.text(names));
            Err(Error::new(Class::Typing, message))
        }
    }
}

fn arithmetic(op: BinOp, a: &Value, b: &Value, names: &dyn Names) -> Result<Value> {
    if a.is_number() && b.is_number() {
        return numbers(op, a, b);
    }
    if let (BinOp::Plus, Value::Str(a)) = (op, a) {
        if let Value::Str(b) = b {
            if a.len() + b.len() > most_text() {
                return Err(Error::new(Class::Runtime, "the text is too long"));
            }
            let mut out = EcoString::with_capacity(a.len() + b.len());
            out.push_str(a);
            out.push_str(b);
            return Ok(Value::Str(out));
        }
        let message = format!(
            "Can only concatenate str (not '{}' ({})) to str",
            b.python_type(),
            b.repr(names)
        );
        return Err(Error::new(Class::Typing, message));
    }
    let name = match op {
        BinOp::Plus => "plus",
        BinOp::Minus => "minus",
        BinOp::Times => "multiplication",
        BinOp::Divide => "division",
        BinOp::Modulo => "modulo",
        _ => "exponentiation",
    };
    let message = format!(
        "Unsupported operand type(s) for {name}: '{}' ({}) and '{}' ({})",
        a.python_type(),
        a.repr(names),
        b.python_type(),
        b.repr(names)
    );
    Err(Error::new(Class::Typing, message))
}

fn small(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Int(n) => Some(*n),
        _ => None,
    }
}

fn float(value: &Value) -> Result<f64> {
    Ok(match value {
        Value::Float(x) => *x,
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Int(n) => *n as f64,
        Value::BigInt(n) => {
            let x: f64 = n.to_string().parse().unwrap_or(f64::INFINITY);
            if x.is_infinite() {
                return Err(zero("int too large to convert to float"));
            }
            x
        }
        _ => 0.0,
    })
}

/// Python's `ZeroDivisionError`.
fn by_zero(text: &str) -> Box<Error> {
    Error::new(Class::ZeroDivision, text)
}

/// An arithmetic error, which the original reports without a place.
fn zero(text: &str) -> Box<Error> {
    Error::new(Class::Runtime, text)
}

fn numbers(op: BinOp, a: &Value, b: &Value) -> Result<Value> {
    let is_float = matches!(a, Value::Float(_)) || matches!(b, Value::Float(_));
    if is_float || op == BinOp::Divide {
        return floats(op, a, b);
    }
    if let (Some(a), Some(b)) = (small(a), small(b)) {
        let result = match op {
            BinOp::Plus => a.checked_add(b),
            BinOp::Minus => a.checked_sub(b),
            BinOp::Times => a.checked_mul(b),
            BinOp::Modulo if b == 0 => return Err(by_zero("integer modulo by zero")),
            BinOp::Modulo => {
                a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
            }
            _ => None,
        };
        if let Some(result) = result {
            return Ok(Value::Int(result));
        }
    }
    let (Some(a), Some(b)) = (a.as_integer(), b.as_integer()) else { return Ok(Value::Int(0)) };
    if a.bits() as usize + b.bits() as usize > MAX_BITS {
        return Err(zero("the number is too large"));
    }
    Ok(Value::int(match op {
        BinOp::Plus => a + b,
        BinOp::Minus => a - b,
        BinOp::Times => a * b,
        BinOp::Modulo => {
            if b.sign() == Sign::NoSign {
                return Err(by_zero("integer modulo by zero"));
            }
            let rest = &a % &b;
            if rest.sign() != Sign::NoSign && rest.sign() != b.sign() { rest + b } else { rest }
        }
        _ => return power(&a, &b),
    }))
}

fn power(a: &BigInt, b: &BigInt) -> Result<Value> {
    if b.sign() == Sign::Minus {
        return floats(BinOp::Power, &Value::int(a.clone()), &Value::int(b.clone()));
    }
    let exponent = u32::try_from(b).ok().filter(|e| u64::from(*e) * a.bits() <= MAX_BITS as u64);
    let Some(exponent) = exponent else {
        if a.bits() <= 1 {
            let is_odd = b.bit(0);
            let is_negative = a.sign() == Sign::Minus && is_odd;
            return Ok(Value::Int(if a.sign() == Sign::NoSign {
                0
            } else if is_negative {
                -1
            } else {
                1
            }));
        }
        return Err(zero("the number is too large"));
    };
    Ok(Value::int(a.pow(exponent)))
}

fn floats(op: BinOp, a: &Value, b: &Value) -> Result<Value> {
    let (x, y) = (float(a)?, float(b)?);
    Ok(Value::Float(match op {
        BinOp::Plus => x + y,
        BinOp::Minus => x - y,
        BinOp::Times => x * y,
        BinOp::Divide if y == 0.0 => {
            let is_float = matches!(a, Value::Float(_)) || matches!(b, Value::Float(_));
            return Err(by_zero(if is_float {
                "float division by zero"
            } else {
                "division by zero"
            }));
        }
        BinOp::Divide => x / y,
        BinOp::Modulo => {
            if y == 0.0 {
                return Err(by_zero("float modulo by zero"));
            }
            let rest = x % y;
            if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                rest + y
            } else if rest == 0.0 {
                0.0_f64.copysign(y)
            } else {
                rest
            }
        }
        _ => {
            if x == 0.0 && y < 0.0 {
                return Err(by_zero("0.0 cannot be raised to a negative power"));
            }
            if x < 0.0 && y.is_finite() && y.fract() != 0.0 {
                return Err(zero("a negative number has no such root"));
            }
            let result = x.powf(y);
            if result.is_infinite() && x.is_finite() && y.is_finite() {
                return Err(zero("(34, 'Numerical result out of range')"));
            }
            result
        }
    }))
}

/// Python's `int(value)`; `None` if it fails.
pub(super) fn to_int(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(b) => Some(Value::Int(i64::from(*b))),
        Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
        Value::Float(x) => crate::value::float_integer(x.trunc()).map(Value::int),
        Value::Str(text) => digits(text)?.parse::<BigInt>().ok().map(Value::int),
        _ => None,
    }
}

/// The digits of a number without surrounding blanks and underscores.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    let inner = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_fine = !inner.is_empty()
        && !inner.starts_with('_')
        && !inner.ends_with('_')
        && !inner.contains("__")
        && inner.chars().all(|c| c.is_ascii_digit() || c == '_');
    is_fine.then(|| text.trim_start_matches('+').replace('_', ""))
}

/// Python's `float(value)`; `None` if it fails.
pub(super) fn to_float(value: &Value) -> Option<Value> {
    let Value::Str(text) = value else {
        return if value.is_number() { float(value).ok().map(Value::Float) } else { None };
    };
    let text = text.trim().to_ascii_lowercase();
    let inner = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if matches!(inner, "inf" | "infinity") {
        return Some(Value::Float(sign * f64::INFINITY));
    }
    if inner == "nan" {
        return Some(Value::Float(f64::NAN));
    }
    let is_fine = inner.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !inner.contains("__")
        && !inner.ends_with('_');
    let plain = inner.replace('_', "");
    let parsed = is_fine.then(|| plain.parse::<f64>().ok()).flatten()?;
    Some(Value::Float(sign * parsed))
}
