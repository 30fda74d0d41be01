//! `+ - * / % << >>` and the unary minus.

use std::sync::Arc;

use ecow::EcoString;

use crate::error::{Blame, EvalResult, issue, issue_at, plain};
use crate::syntax::ast::BinaryOp;
use crate::types::label::{a_an, a_an_uc};
use crate::types::uri::Uri;
use crate::types::{Type, infer};
use crate::value::number::to_number;
use crate::value::text::to_text;
use crate::value::{HashValue, Value};
use ordain_graph::language::Strict;

/// The result of an operation, with a warning if there is one.
#[derive(Debug)]
pub struct Outcome {
    /// The value.
    pub value: Value,
    /// Warnings of texts taken as numbers, for the operands in order.
    pub warnings: Vec<String>,
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Self {
        Self { value, warnings: Vec::new() }
    }
}

/// The maximal length of a list made by `+`, which stops programs that double a list repeatedly.
const MAX_ITEMS: usize = 4_000_000;

/// Applies an arithmetic or collection operator.
///
/// # Errors
/// When the operator does not apply to the operands, or its result is not a number.
pub fn binary(op: BinaryOp, left: &Value, right: &Value, strict: Strict) -> EvalResult<Outcome> {
    match (left, op) {
        (Value::Int(a), _) if matches!(right, Value::Int(_)) => {
            let b = right.as_int().unwrap_or_default();
            integers(op, *a, b).map(Outcome::from)
        }
        (Value::Array(items), BinaryOp::Add) => {
            let more = right.as_array().map_or(1, <[Value]>::len);
            if items.len() + more > MAX_ITEMS {
                return plain(format!("a list of more than {MAX_ITEMS} items is too long"));
            }
            Ok(append(items, right).into())
        }
        (Value::Array(items), BinaryOp::Sub) => Ok(without(items, right).into()),
        (Value::Array(items), BinaryOp::ShiftLeft) => {
            let mut items = items.to_vec();
            items.push(right.clone());
            Ok(Value::Array(Arc::new(items)).into())
        }
        (Value::Hash(entries), BinaryOp::Add) => merge(entries, right).map(Outcome::from),
        (Value::Hash(entries), BinaryOp::Sub) => Ok(without_keys(entries, right).into()),
        (Value::Hash(_), BinaryOp::ShiftLeft) => not_applicable(op, left),
        (Value::Binary(bytes), BinaryOp::Add) => match right {
            Value::Binary(more) => {
                Ok(Value::Binary(Arc::new([&bytes[..], &more[..]].concat())).into())
            }
            _ => plain("Can only append Binary to a Binary"),
        },
        (Value::Uri(uri), BinaryOp::Add) => join(uri, right).map(Outcome::from),
        _ => numbers(op, left, right, strict),
    }
}

/// A URI resolved against another.
fn join(uri: &Uri, right: &Value) -> EvalResult {
    let reference = match right {
        Value::Uri(other) => Uri::clone(other),
        Value::Str(text) => match text.parse::<Uri>() {
            Ok(other) => other,
            Err(reason) => return plain(reason.to_string()),
        },
        _ => return plain("An URI can only be merged with an URI or String"),
    };
    if uri.scheme.is_none() && reference.scheme.is_none() {
        return plain("both URI are relative");
    }
    Ok(Value::Uri(Arc::new(uri.resolve(&reference))))
}

/// The unary minus.
///
/// # Errors
/// When the operand is not a number.
pub fn negate(value: &Value, strict: Strict) -> EvalResult<Outcome> {
    let mut warnings = Vec::new();
    let value = match coerce(value, Blame::Whole, strict, &mut warnings)? {
        Value::Int(i) => match i.checked_neg() {
            Some(i) => Value::Int(i),
            None => return overflow("An Unary Minus", -i128::from(i)),
        },
        Value::Float(f) => Value::Float(-f),
        Value::Timespan(ns) => Value::Timespan(Arc::new(-*ns)),
        other => return not_applicable(BinaryOp::Sub, &other),
    };
    Ok(Outcome { value, warnings })
}

pub(crate) fn not_applicable<T>(op: BinaryOp, left: &Value) -> EvalResult<T> {
    let message = format!("Operator '{}' is not applicable to {}.", op.sign(), a_an(left));
    issue_at("OPERATOR_NOT_APPLICABLE", Blame::Left, message)
}

pub(crate) fn not_applicable_when<T>(op: BinaryOp, left: &Value, right: &Value) -> EvalResult<T> {
    let (sign, left, right) = (op.sign(), a_an(left), a_an(right));
    issue_at(
        "OPERATOR_NOT_APPLICABLE_WHEN",
        Blame::Left,
        format!("Operator '{sign}' is not applicable to {left} when right side is {right}."),
    )
}

/// The error of an integer out of range. `what` is the name of the expression with its article.
pub fn overflow<T>(what: &str, value: i128) -> EvalResult<T> {
    let sign = if value < 0 { '-' } else { '+' };
    overflow_text(what, value > 0, &format!("{sign}{:#x}", value.unsigned_abs()))
}

fn overflow_text<T>(what: &str, above: bool, value: &str) -> EvalResult<T> {
    let end = if above { "max" } else { "min" };
    issue(
        "NUMERIC_OVERFLOW",
        format!("{what} resulted in a value outside of Puppet Integer {end} range, got '{value}'"),
    )
}

fn overflow_of<T>(op: BinaryOp, value: i128) -> EvalResult<T> {
    overflow(&format!("A '{}' expression", op.sign()), value)
}

/// The error of an integer out of range, from its decimal digits with an optional minus.
pub(crate) fn overflow_digits<T>(op: BinaryOp, digits: &str) -> EvalResult<T> {
    let what = format!("A '{}' expression", op.sign());
    let value = ordain_data::number::ruby_signed_hexadecimal(digits);
    overflow_text(&what, !digits.starts_with('-'), &value)
}

fn as_items(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.to_vec(),
        Value::Hash(entries) => {
            entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
        }
        Value::Iterator(iterator) => iterator.items.clone(),
        other => vec![other.clone()],
    }
}

fn append(items: &[Value], right: &Value) -> Value {
    let mut all = Vec::with_capacity(items.len() + 1);
    all.extend_from_slice(items);
    match right {
        Value::Array(more) => all.extend_from_slice(more),
        Value::Hash(_) => all.extend(as_items(right)),
        other => all.push(other.clone()),
    }
    Value::Array(Arc::new(all))
}

/// A key for Ruby's `==`, which decides the removal of elements: numbers are equal by value, texts
/// exactly.
fn removal_key(value: &Value) -> Value {
    match value {
        Value::Float(f) if f.fract() == 0.0 && f.abs() < 9e15 => Value::Int(*f as i64),
        Value::Timestamp(ns) | Value::Timespan(ns) => {
            let (seconds, rest) = (ns.div_euclid(NANOS), ns.rem_euclid(NANOS));
            let seconds = Value::Int(i64::try_from(seconds).unwrap_or(i64::MAX));
            match rest {
                0 => seconds,
                // A form that nothing else has.
                rest => Value::Sensitive(Arc::new(Value::array([
                    seconds,
                    Value::Int(rest as i64),
                    Value::Default,
                ]))),
            }
        }
        Value::Array(items) => Value::array(items.iter().map(removal_key)),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(k, v)| (k.clone(), removal_key(v)));
            Value::Hash(Arc::new(entries.collect()))
        }
        other => other.clone(),
    }
}

#[expect(clippy::mutable_key_type, reason = "only caches inside values change")]
fn without(items: &[Value], right: &Value) -> Value {
    let gone: rustc_hash::FxHashSet<Value> = match right {
        Value::Array(_) | Value::Hash(_) => as_items(right).iter().map(removal_key).collect(),
        other => [removal_key(other)].into_iter().collect(),
    };
    Value::array(items.iter().filter(|item| !gone.contains(&removal_key(item))).cloned())
}

fn merge(entries: &Arc<HashValue>, right: &Value) -> EvalResult {
    let mut merged = HashValue::clone(entries);
    match right {
        Value::Hash(more) => {
            merged.extend(more.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
        Value::Array(items) => {
            let pairs = pairs_of(items)?;
            merged.extend(pairs);
        }
        _ => return plain("Can only append Array or Hash to a Hash"),
    }
    Ok(Value::Hash(Arc::new(merged)))
}

/// The entries of a hash in the form of a list of pairs, a flat list, or one hash.
fn pairs_of(items: &Arc<Vec<Value>>) -> EvalResult<Vec<(Value, Value)>> {
    if let [Value::Hash(entries)] = items.as_slice() {
        return Ok(entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    }
    let of_lists = matches!(
        infer(&Value::Array(Arc::clone(items))),
        Type::Array(element, _) if matches!(*element, Type::Array(..))
    );
    if !of_lists {
        if items.len() % 2 == 1 {
            return plain("odd number of arguments for Hash");
        }
        let (pairs, _) = items.as_chunks::<2>();
        return Ok(pairs.iter().map(|[k, v]| (k.clone(), v.clone())).collect());
    }
    let mut pairs = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        match item.as_array() {
            Some([key, value]) => pairs.push((key.clone(), value.clone())),
            other => {
                let count = other.map_or(0, <[Value]>::len);
                return plain(format!("wrong array length at {i} (expected 2, was {count})"));
            }
        }
    }
    Ok(pairs)
}

#[expect(clippy::mutable_key_type, reason = "only caches inside values change")]
fn without_keys(entries: &HashValue, right: &Value) -> Value {
    let gone: rustc_hash::FxHashSet<&Value> = match right {
        Value::Array(items) => items.iter().collect(),
        Value::Hash(other) => other.keys().collect(),
        other => [other].into_iter().collect(),
    };
    let kept = entries.iter().filter(|(key, _)| !gone.contains(key));
    Value::Hash(Arc::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect()))
}

fn coerce(value: &Value, blame: Blame, strict: Strict, warnings: &mut Vec<String>) -> EvalResult {
    match value {
        Value::Int(_)
        | Value::Float(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::SemVer(_) => Ok(value.clone()),
        Value::Str(text) => match to_number(text) {
            None => not_numeric(value, blame),
            Some(number) => {
                let message = coercion_text(text, &number);
                match strict {
                    Strict::Error => return issue_at("NUMERIC_COERCION", blame, message),
                    Strict::Warning => warnings.push(message),
                    Strict::Off => {}
                }
                Ok(number)
            }
        },
        _ => not_numeric(value, blame),
    }
}

fn coercion_text(text: &EcoString, number: &Value) -> String {
    let number = to_text(number);
    format!("The string '{text}' was automatically coerced to the numerical value {number}")
}

fn not_numeric<T>(value: &Value, blame: Blame) -> EvalResult<T> {
    let text = crate::types::format::ruby_text(value);
    let message = format!("The value '{text}' cannot be converted to Numeric.");
    issue_at("NOT_NUMERIC", blame, message)
}

/// A number for an index: texts count as numbers, as in arithmetic.
///
/// # Errors
/// `NOT_NUMERIC`, `NUMERIC_COERCION`
pub fn coerce_number(
    value: &Value,
    blame: Blame,
    strict: Strict,
    warnings: &mut Vec<String>,
) -> EvalResult {
    coerce(value, blame, strict, warnings)
}

fn numbers(op: BinaryOp, left: &Value, right: &Value, strict: Strict) -> EvalResult<Outcome> {
    let mut warnings = Vec::new();
    let left = coerce(left, Blame::Left, strict, &mut warnings)?;
    let right = coerce(right, Blame::Right, strict, &mut warnings)?;
    let value = match (&left, &right) {
        (Value::Int(a), Value::Int(b)) => integers(op, *a, *b)?,
        (_, Value::SemVer(_)) => return with_version(op, &left),
        (Value::SemVer(_) | Value::Timespan(_) | Value::Timestamp(_), Value::Float(_))
            if op == BinaryOp::Mod =>
        {
            return not_applicable_when(op, &left, &right);
        }
        (Value::SemVer(_), _) => return of_version(op, &left, &right),
        (Value::Timespan(_) | Value::Timestamp(_), _)
        | (_, Value::Timespan(_) | Value::Timestamp(_)) => times(op, &left, &right)?,
        _ => floats(op, &left, &right)?,
    };
    Ok(Outcome { value, warnings })
}

/// The error of an operation whose left operand is a version.
fn of_version<T>(op: BinaryOp, left: &Value, right: &Value) -> EvalResult<T> {
    match (op, right) {
        (BinaryOp::Mul, Value::Timespan(_)) => {
            plain("A Timestamp cannot be multiplied by a Version")
        }
        (BinaryOp::Add, Value::Timespan(_)) => plain("A Version cannot be added to a Timespan"),
        (BinaryOp::Add, Value::Timestamp(_)) => plain("A Version cannot be added to a Timestamp"),
        (BinaryOp::Sub, Value::Timespan(_)) => not_applicable(op, left),
        (_, Value::Timespan(_) | Value::Timestamp(_)) => not_applicable_when(op, left, right),
        _ => not_applicable(op, left),
    }
}

/// The error of an operation whose right operand is a version.
fn with_version<T>(op: BinaryOp, left: &Value) -> EvalResult<T> {
    match left {
        Value::Timespan(_) | Value::Timestamp(_) => refuse_beside_time(op, left, "Version"),
        Value::Float(_) if op == BinaryOp::Mod => not_applicable(op, left),
        Value::Int(_) | Value::Float(_)
            if !matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) =>
        {
            plain("can't convert SemanticPuppet::Version into Float")
        }
        left => not_applicable(op, left),
    }
}

/// The error of an operation of a time and a number of a kind that times do not know.
pub(crate) fn refuse_beside_time<T>(op: BinaryOp, time: &Value, kind: &str) -> EvalResult<T> {
    let is_span = matches!(time, Value::Timespan(_));
    let name = if is_span { "Timespan" } else { "Timestamp" };
    let done = match op {
        BinaryOp::Add => "added to",
        BinaryOp::Sub => "subtracted from",
        BinaryOp::Mul if is_span => {
            return plain(format!("A Timestamp cannot be multiplied by a {kind}"));
        }
        BinaryOp::Div if is_span => {
            return plain(format!("A Timespan cannot be divided by a {kind}"));
        }
        BinaryOp::Mod if is_span => {
            return plain(format!("Can not do modulus on a Timespan using a {kind}"));
        }
        _ => return not_applicable(op, time),
    };
    plain(format!("A {kind} cannot be {done} a {name}"))
}

fn integers(op: BinaryOp, a: i64, b: i64) -> EvalResult {
    let (wide_a, wide_b) = (i128::from(a), i128::from(b));
    let wide = match op {
        BinaryOp::Add => wide_a + wide_b,
        BinaryOp::Sub => wide_a - wide_b,
        BinaryOp::Mul => wide_a * wide_b,
        BinaryOp::Div | BinaryOp::Mod if b == 0 => {
            return issue_at("DIV_BY_ZERO", Blame::Right, "Division by 0");
        }
        BinaryOp::Div => floor_div(wide_a, wide_b),
        BinaryOp::Mod => wide_a - floor_div(wide_a, wide_b) * wide_b,
        BinaryOp::ShiftLeft => return shift(op, a, wide_b),
        _ => return shift(op, a, -wide_b),
    };
    i64::try_from(wide).map(Value::Int).or_else(|_| overflow_of(op, wide))
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Shifts to the left by `count`, to the right if that is negative.
fn shift(op: BinaryOp, value: i64, count: i128) -> EvalResult {
    if count <= 0 {
        return Ok(Value::Int(value >> (-count).min(63)));
    }
    let wide = i128::from(value);
    if value == 0 {
        return Ok(Value::Int(0));
    }
    if count < 64 {
        let shifted = wide << count;
        return i64::try_from(shifted).map(Value::Int).or_else(|_| overflow_of(op, shifted));
    }
    // The maximal number of zeros in a message.
    const MAX_ZEROS: i128 = 4096;
    let zeros = (count / 4).min(MAX_ZEROS) as usize;
    let first = wide.unsigned_abs() << (count % 4);
    let sign = if value < 0 { '-' } else { '+' };
    let what = format!("A '{}' expression", op.sign());
    overflow_text(&what, value > 0, &format!("{sign}{first:#x}{}", "0".repeat(zeros)))
}

fn floats(op: BinaryOp, left: &Value, right: &Value) -> EvalResult {
    let float = |v: &Value| match v {
        Value::Int(i) => *i as f64,
        Value::Float(f) => *f,
        _ => f64::NAN,
    };
    let (a, b) = (float(left), float(right));
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Mod if matches!(left, Value::Int(_)) => {
            return not_applicable_when(op, left, right);
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if matches!(left, Value::Int(i) if *i >= 0 || b.is_finite()) =>
        {
            // Ruby shifts an integer by the whole part of a float.
            return integers(op, left.as_int().unwrap_or_default(), b as i64);
        }
        _ => return not_applicable(op, left),
    };
    finite(op, result)
}

/// The result of a calculation, unless it is infinite.
pub(crate) fn finite(op: BinaryOp, result: f64) -> EvalResult {
    if result.is_infinite() {
        return issue_at(
            "RESULT_IS_INFINITY",
            Blame::Left,
            format!("The result of the {} expression is Infinity", op.sign()),
        );
    }
    Ok(Value::Float(result))
}

const NANOS: i128 = 1_000_000_000;

fn nanoseconds(value: &Value) -> Option<i128> {
    match value {
        Value::Int(i) => Some(i128::from(*i) * NANOS),
        Value::Float(f) => Some((f * NANOS as f64) as i128),
        Value::Timespan(ns) | Value::Timestamp(ns) => Some(**ns),
        _ => None,
    }
}

pub(crate) fn times(op: BinaryOp, left: &Value, right: &Value) -> EvalResult {
    let is_time = |v: &Value| matches!(v, Value::Timespan(_) | Value::Timestamp(_));
    if !is_time(left) {
        return match (op, right) {
            (BinaryOp::Add, _) | (BinaryOp::Mul, Value::Timespan(_)) => times(op, right, left),
            (BinaryOp::Sub, Value::Timespan(_)) => times(op, &span(operand(left)), right),
            (BinaryOp::Mod, _) if matches!(left, Value::Float(_)) => not_applicable(op, left),
            _ => not_applicable_when(op, left, right),
        };
    }
    match left {
        Value::Timespan(ns) => timespan(op, **ns, left, right),
        Value::Timestamp(ns) => timestamp(op, **ns, left, right),
        _ => not_applicable(op, left),
    }
}

/// The maximal nanoseconds in either direction, beyond the range of seconds in an integer.
const MOST: i128 = i64::MAX as i128 * NANOS;

/// Checks that the nanoseconds of a result are in range.
fn bounded(ns: i128) -> EvalResult<i128> {
    if ns.abs() > MOST { plain("the duration is too long") } else { Ok(ns) }
}

/// The nanoseconds of an operand. Infinity stays infinite in sums.
fn operand(value: &Value) -> i128 {
    nanoseconds(value).unwrap_or_default().clamp(-2 * MOST, 2 * MOST)
}

fn span(ns: i128) -> Value {
    Value::Timespan(Arc::new(ns))
}

fn stamp(ns: i128) -> Value {
    Value::Timestamp(Arc::new(ns))
}

fn timespan(op: BinaryOp, ns: i128, left: &Value, right: &Value) -> EvalResult {
    let other = operand(right);
    Ok(match (op, right) {
        (BinaryOp::Add, Value::Timestamp(o)) => stamp(bounded(ns + **o)?),
        (BinaryOp::Add, _) => span(bounded(ns + other)?),
        (BinaryOp::Sub, Value::Timestamp(_)) => {
            return plain(format!("{} cannot be subtracted from a Timespan", a_an_uc(right)));
        }
        (BinaryOp::Sub, _) => span(bounded(ns - other)?),
        (BinaryOp::Mul, Value::Int(i)) => match ns.checked_mul(i128::from(*i)) {
            Some(ns) => span(bounded(ns)?),
            None => return plain("the duration is too long"),
        },
        (BinaryOp::Mul, Value::Float(f)) => {
            span(bounded(((ns as f64 * f) as i128).clamp(-2 * MOST, 2 * MOST))?)
        }
        (BinaryOp::Mul, _) => {
            let right = a_an(right);
            return plain(format!("A Timestamp cannot be multiplied by {right}"));
        }
        (BinaryOp::Div, Value::Timespan(o)) => {
            return finite(op, ns as f64 / **o as f64);
        }
        (BinaryOp::Div | BinaryOp::Mod, Value::Int(0)) => {
            return issue_at("DIV_BY_ZERO", Blame::Right, "Division by 0");
        }
        (BinaryOp::Div, Value::Int(i)) => span(floor_div(ns, i128::from(*i))),
        (BinaryOp::Div, Value::Float(f)) if *f == 0.0 => {
            return issue_at("DIV_BY_ZERO", Blame::Right, "Division by 0");
        }
        (BinaryOp::Div, Value::Float(f)) => {
            span(bounded(((ns as f64 / f).floor() as i128).clamp(-2 * MOST, 2 * MOST))?)
        }
        (BinaryOp::Div, _) => {
            return plain(format!("A Timespan cannot be divided by {}", a_an(right)));
        }
        (BinaryOp::Mod, Value::Int(i)) => {
            let seconds = ns.div_euclid(NANOS);
            let i = i128::from(*i);
            let rest = seconds - floor_div(seconds, i) * i;
            i64::try_from(rest).map(Value::Int).or_else(|_| overflow_of(op, rest))?
        }
        (BinaryOp::Mod, _) => {
            return plain(format!("Can not do modulus on a Timespan using a {}", a_an(right)));
        }
        _ => return not_applicable(op, left),
    })
}

fn timestamp(op: BinaryOp, ns: i128, left: &Value, right: &Value) -> EvalResult {
    let other = operand(right);
    Ok(match (op, right) {
        (BinaryOp::Add, Value::Timestamp(_)) => {
            return plain(format!("{} cannot be added to a Timestamp", a_an_uc(right)));
        }
        (BinaryOp::Add, _) => stamp(bounded(ns + other)?),
        (BinaryOp::Sub, Value::Timestamp(o)) => span(bounded(ns - **o)?),
        (BinaryOp::Sub, _) => stamp(bounded(ns - other)?),
        _ => return not_applicable(op, left),
    })
}
