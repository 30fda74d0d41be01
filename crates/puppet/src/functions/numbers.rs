//! Functions on numbers, and functions that order values.

use std::cmp::Ordering;

use crate::error::{EvalResult, Unwind, plain as fail};
use crate::functions::call::Call;
use crate::functions::iterate::chars;
use crate::functions::support::{
    function, integer_of, ruby_class, ruby_inspect, ruby_text, version_of,
};
use crate::functions::{
    Function, Param, explaining, opt, plain, rep, req, with_block, with_opt_block,
};
use crate::types::label::label;
use crate::value::Value;

const NUMBER: &[Param] = &[req("Numeric", "val")];
const DIGITS: &[Param] = &[req("String", "val")];

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "abs",
        "Gives a number without its sign.",
        &[plain(NUMBER, abs), plain(DIGITS, abs_text)],
    ),
    function(
        "ceiling",
        "Rounds a number up.",
        &[plain(NUMBER, |c| rounded(c, f64::ceil)), plain(DIGITS, |c| rounded_text(c, f64::ceil))],
    ),
    function(
        "floor",
        "Rounds a number down.",
        &[
            plain(NUMBER, |c| rounded(c, f64::floor)),
            plain(DIGITS, |c| rounded_text(c, f64::floor)),
        ],
    ),
    function(
        "round",
        "Rounds a number to the nearest integer, halves away from zero.",
        &[plain(NUMBER, round)],
    ),
    function(
        "compare",
        "Orders two values of the same kind: -1, 0 or 1.",
        &[
            plain(&[req("Numeric", "a"), req("Numeric", "b")], compare),
            plain(
                &[req("String", "a"), req("String", "b"), opt("Boolean", "ignore_case")],
                compare_text,
            ),
            plain(&[req("SemVer", "a"), req("SemVer", "b")], compare),
            plain(&[req("Numeric", "a"), req("Variant[Timespan, Timestamp]", "b")], compare),
            plain(&[req("Timestamp", "a"), req("Variant[Timestamp, Numeric]", "b")], compare),
            plain(&[req("Timespan", "a"), req("Variant[Timespan, Numeric]", "b")], compare),
            explaining(
                &[req("Any", "a"), req("Any", "b"), rep("Any", "ignore_case")],
                not_comparable,
            ),
        ],
    ),
    function("max", "Gives the largest value.", LARGEST),
    function("min", "Gives the smallest value.", SMALLEST),
    function(
        "sort",
        "Sorts a list, or the characters of a text.",
        &[
            with_opt_block(&[req("String", "string_value")], "Callable[2, 2]", sort_text),
            with_opt_block(&[req("Array", "array_value")], "Callable[2, 2]", sort),
        ],
    ),
];

/// The dispatches of `max` and `min`, with the types of lists in the order in which they are tried.
macro_rules! extremes {
    ($($list:literal),*) => { &[
        plain(&[rep("Numeric", "values")], extreme),
        plain(&[rep("String", "values")], extreme),
        plain(&[rep("SemVer", "values")], extreme),
        plain(&[rep("Timespan", "values")], extreme),
        plain(&[rep("Timestamp", "values")], extreme),
        $(with_opt_block(&[req($list, "values")], "Callable[2, 2]", extreme_of_list),)*
        with_opt_block(&[req("Array", "values")], "Callable[2, 2]", extreme_of_list),
        with_block(&[rep("Any", "values")], "Callable[2, 2]", extreme),
        plain(&[rep("Any", "values")], extreme),
    ] };
}

const LARGEST: &[crate::functions::Dispatch] = extremes!(
    "Array[Numeric]",
    "Array[String]",
    "Array[SemVer]",
    "Array[Timespan]",
    "Array[Timestamp]"
);

/// The signatures of `min`. Unlike those of `max`, lists of texts come late.
const SMALLEST: &[crate::functions::Dispatch] = extremes!(
    "Array[Numeric]",
    "Array[SemVer]",
    "Array[Timespan]",
    "Array[Timestamp]",
    "Array[String]"
);

fn abs(call: &mut Call<'_, '_>) -> EvalResult {
    match call.arg(0) {
        Value::Int(i) => match i.checked_abs() {
            Some(i) => Ok(Value::Int(i)),
            None => integer_of(i.unsigned_abs() as f64),
        },
        Value::Float(f) => Ok(Value::Float(f.abs())),
        other => Ok(other.clone()),
    }
}

fn abs_text(call: &mut Call<'_, '_>) -> EvalResult {
    call.deprecate(
        "abs_function_numeric_coerce_string",
        "The abs() function's auto conversion of String to Numeric is deprecated - change to convert \
         input before calling",
    );
    let text = call.str(0);
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match digits.split_once('.') {
        Some((whole, part)) if is_digits(whole) && is_digits(part) => {
            Ok(Value::Float(digits.parse().unwrap_or_default()))
        }
        None if is_digits(digits) => match digits.parse() {
            Ok(i) => Ok(Value::Int(i)),
            Err(_) => integer_of(digits.parse().unwrap_or(f64::INFINITY)),
        },
        _ => fail("abs(): Requires float or integer to work with - was given non decimal string"),
    }
}

fn rounded(call: &mut Call<'_, '_>, how: fn(f64) -> f64) -> EvalResult {
    match call.arg(0) {
        Value::Float(f) => integer_of(how(*f)),
        other => Ok(other.clone()),
    }
}

/// A half is added to integers, too, which makes the large ones as coarse as floats.
fn round(call: &mut Call<'_, '_>) -> EvalResult {
    let number = match call.arg(0) {
        Value::Float(f) => *f,
        Value::Int(n) => *n as f64,
        other => return Ok(other.clone()),
    };
    integer_of(if number > 0.0 { (number + 0.5).trunc() } else { (number - 0.5).trunc() })
}

fn rounded_text(call: &mut Call<'_, '_>, how: fn(f64) -> f64) -> EvalResult {
    let name = call.name;
    call.deprecate(
        &format!("{name}_function_numeric_coerce_string"),
        &format!(
            "The {name}() function's auto conversion of String to Float is deprecated - change to \
             convert input before calling"
        ),
    );
    match ordain_functions::float::parse_ruby(&call.str(0)) {
        Ok(f) => integer_of(how(f)),
        Err(_) => fail(format!("{name}(): cannot convert given value to a floating point value.")),
    }
}

/// The order of two values with a natural order; texts by code point.
pub fn natural_order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Timespan(a), Value::Timespan(b)) => {
            Some(a.cmp(b))
        }
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match natural_order(a, b)? {
                    Ordering::Equal => {}
                    order => return Some(order),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (Value::SemVer(a), Value::SemVer(b)) => Some(a.precedence(b)),
        (Value::Bool(a), Value::Bool(b)) if a == b => Some(Ordering::Equal),
        (Value::Undef, Value::Undef) => Some(Ordering::Equal),
        (Value::Hash(_), Value::Hash(_)) if a == b => Some(Ordering::Equal),
        (Value::Object(_), Value::Object(_)) => {
            let (a, b) = (version_of(a)?, version_of(b)?);
            Some(a.precedence(&b))
        }
        _ => number_of(a)?.partial_cmp(&number_of(b)?),
    }
}

/// Numbers, and times in seconds.
fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        Value::Timestamp(ns) | Value::Timespan(ns) => Some(ordain_functions::time::seconds(**ns)),
        _ => None,
    }
}

fn ordering(order: Option<Ordering>) -> Value {
    order.map_or(Value::Undef, |order| Value::Int(order as i64))
}

fn compare(call: &mut Call<'_, '_>) -> EvalResult {
    Ok(ordering(natural_order(call.arg(0), call.arg(1))))
}

fn compare_text(call: &mut Call<'_, '_>) -> EvalResult {
    let (a, b) = (call.str(0), call.str(1));
    let ignore_case = call.given(2).is_none_or(Value::is_true);
    let fold = |s: &str| s.bytes().map(|b| b.to_ascii_lowercase()).collect::<Vec<u8>>();
    let order = if ignore_case { fold(&a).cmp(&fold(&b)) } else { a.cmp(&b) };
    Ok(ordering(Some(order)))
}

fn not_comparable(call: &mut Call<'_, '_>) -> EvalResult {
    let (a, b) = (call.arg(0), call.arg(1));
    let comparable =
        |v: &Value| matches!(v, Value::Str(_)) || number_of(v).is_some() || version_of(v).is_some();
    let text = if !comparable(a) || !comparable(b) {
        format!(
            "Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and \
             Timestamp can be compared. Got {} and {}",
            label(a),
            label(b)
        )
    } else if call.args.len() > 2 && !(a.as_str().is_some() && b.as_str().is_some()) {
        "The third argument (ignore case) can only be used when comparing strings".into()
    } else if call.args.len() > 3 {
        format!("Accepts at most 3 arguments, got {}", call.args.len())
    } else if call.args.len() == 3 {
        format!("The third argument (ignore case) must be a Boolean. Got {}", label(call.arg(2)))
    } else {
        format!(
            "Can only compare values of the same type (or for Timestamp/Timespan also against \
             Numeric). Got {} and {}",
            label(a),
            label(b)
        )
    };
    fail(format!("'compare' compare(): {text}"))
}

fn extreme_of_list(call: &mut Call<'_, '_>) -> EvalResult {
    call.args = call.array(0).to_vec();
    extreme(call)
}

fn extreme(call: &mut Call<'_, '_>) -> EvalResult {
    let name = call.name;
    let wanted = if name == "max" { Ordering::Greater } else { Ordering::Less };
    let mut values = std::mem::take(&mut call.args).into_iter();
    let Some(mut best) = values.next() else {
        if call.block.is_some() {
            return Ok(Value::Undef);
        }
        return fail(format!("{name}(): Wrong number of arguments need at least one"));
    };
    let is_uniform = uniform(&best, values.as_slice());
    for value in values {
        let order = if call.block.is_some() {
            block_order(call, &value, &best)?
        } else {
            loose_order(call, &value, &best, is_uniform)?
        };
        if order == wanted {
            best = value;
        }
    }
    Ok(best)
}

/// Whether all values are of one kind with a natural order.
fn uniform(first: &Value, others: &[Value]) -> bool {
    let mut others = others.iter();
    match first {
        Value::Int(_) | Value::Float(_) => {
            others.all(|value| matches!(value, Value::Int(_) | Value::Float(_)))
        }
        Value::Str(_) => others.all(|value| matches!(value, Value::Str(_))),
        Value::SemVer(_) => others.all(|value| matches!(value, Value::SemVer(_))),
        Value::Timespan(_) => others.all(|value| matches!(value, Value::Timespan(_))),
        Value::Timestamp(_) => others.all(|value| matches!(value, Value::Timestamp(_))),
        _ => false,
    }
}

/// The order of values. Values of different kinds are compared as texts, or as numbers if both look
/// like numbers.
fn loose_order(
    call: &mut Call<'_, '_>,
    a: &Value,
    b: &Value,
    is_uniform: bool,
) -> EvalResult<Ordering> {
    let name = call.name;
    let both_text = matches!((a, b), (Value::Str(_), Value::Str(_)));
    if is_uniform
        && !both_text
        && let Some(order) = natural_order(a, b)
    {
        return Ok(order);
    }
    let (x, y) = (ruby_text(a), ruby_text(b));
    if let (Some(x), Some(y)) = (numeric_text(&x), numeric_text(&y)) {
        call.deprecate(
            &format!("{name}_function_numeric_coerce_string"),
            &format!(
                "The {name}() function's auto conversion of String to Numeric is deprecated - change \
                 to convert input before calling, or use lambda"
            ),
        );
        return Ok(x.partial_cmp(&y).unwrap_or(Ordering::Equal));
    }
    if !is_uniform {
        call.deprecate(
            &format!("{name}_function_string_coerce_any"),
            &format!(
                "The {name}() function's auto conversion of Any to String is deprecated - change to \
                 convert input before calling, or use lambda"
            ),
        );
    }
    Ok(x.cmp(&y))
}

/// The number in a text of digits with one of `.`, `_`, `e` between them.
fn numeric_text(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let fits = match digits.split_once(['.', '_', 'e', 'E']) {
        Some((a, b)) => is_digits(a) && is_digits(b),
        None => is_digits(digits),
    };
    if fits { text.replace('_', "").parse().ok() } else { None }
}

/// The order of two values by the lambda.
fn block_order(call: &mut Call<'_, '_>, a: &Value, b: &Value) -> EvalResult<Ordering> {
    match call.yield_block(&[a.clone(), b.clone()])? {
        Value::Int(i) => Ok(i.cmp(&0)),
        Value::Float(f) => Ok(f.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Value::Timespan(ns) | Value::Timestamp(ns) => Ok((*ns).cmp(&0)),
        Value::Undef => fail(not_ordered(a, b)),
        other => fail(format!("comparison of {} with 0 failed", ruby_class(&other))),
    }
}

/// Ruby's error for two values without an order.
pub(crate) fn not_ordered(a: &Value, b: &Value) -> String {
    // Ruby shows small immediate values, and the class of everything else.
    let other = match b {
        Value::Int(_) | Value::Float(_) | Value::Undef | Value::Bool(_) => ruby_inspect(b),
        _ => ruby_class(b).into(),
    };
    format!("comparison of {} with {other} failed", ruby_class(a))
}

fn sort_text(call: &mut Call<'_, '_>) -> EvalResult {
    let sorted = sort_values(call, chars(&call.str(0)))?;
    Ok(Value::from(sorted.iter().filter_map(Value::as_str).collect::<String>()))
}

fn sort(call: &mut Call<'_, '_>) -> EvalResult {
    let values = call.array(0).to_vec();
    Ok(Value::array(sort_values(call, values)?))
}

/// Sorts values by the lambda, or in their natural order.
///
/// # Errors
/// Of the lambda, and when two values have no order.
pub fn sort_values(call: &mut Call<'_, '_>, values: Vec<Value>) -> EvalResult<Vec<Value>> {
    if call.block.is_some() {
        return merge_sort(values, &mut |a, b| block_order(call, a, b));
    }
    merge_sort(values, &mut |a, b| match natural_order(a, b) {
        Some(order) => Ok(order),
        None => fail(not_ordered(a, b)),
    })
}

/// The order of two values, or the reason why they have none.
pub(crate) type Order<'a> = &'a mut dyn FnMut(&Value, &Value) -> Result<Ordering, Box<Unwind>>;

/// A merge sort. Unlike the standard library's, it may fail and accepts inconsistent orders.
pub(crate) fn merge_sort(mut values: Vec<Value>, order: Order<'_>) -> EvalResult<Vec<Value>> {
    let mut width = 1;
    while width < values.len() {
        let mut merged = Vec::with_capacity(values.len());
        for pair in values.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() && j < right.len() {
                if order(&left[i], &right[j])? == Ordering::Greater {
                    merged.push(right[j].clone());
                    j += 1;
                } else {
                    merged.push(left[i].clone());
                    i += 1;
                }
            }
            merged.extend_from_slice(&left[i..]);
            merged.extend_from_slice(&right[j..]);
        }
        values = merged;
        width *= 2;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn merging_sorts_and_fails() {
        let values = [5, 3, 9, 1, 4].map(Value::Int).to_vec();
        let by_number = &mut |a: &Value, b: &Value| Ok(natural_order(a, b).unwrap());
        assert_eq!(merge_sort(values, by_number).unwrap(), [1, 3, 4, 5, 9].map(Value::Int));
        assert!(natural_order(&Value::Int(1), &Value::str("a")).is_none());
    }
}
