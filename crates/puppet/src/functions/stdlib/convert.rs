//! Conversions between truth values, numbers and texts.

use std::sync::Arc;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::collections::flat;
use crate::functions::legacy::leading_integer;
use crate::functions::stdlib::{at, no_method};
use crate::functions::support::{
    function, integer_of, is_instance, old, old_args, ruby_text, wrap,
};
use crate::functions::{Function, plain, req};
use crate::types::infer_set;
use crate::value::Value;

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old(
        "any2array",
        "Makes a list of anything: the arguments, or the keys and values of a hash.",
        -1,
        any2array,
    ),
    old("any2bool", "Makes a truth value of anything.", -1, any2bool),
    old("bool2num", "Gives 1 for true and 0 for false.", -1, bool2num),
    old("bool2str", "Gives a text for true and another for false.", -1, bool2str),
    old("clamp", "Gives the middle one of three numbers.", -2, clamp),
    old("convert_base", "Writes an integer in another base.", 2, convert_base),
    old("num2bool", "Tells whether a number is above zero.", -1, num2bool),
    old("str2bool", "Makes a truth value of a text.", -1, str2bool),
    old("to_bytes", "Returns the number of bytes for a text such as 4 kB.", -1, to_bytes),
    function(
        "is_a",
        "Tells whether a value is of a type.",
        &[plain(&[req("Any", "value"), req("Type", "type")], |c| match c.arg(1) {
            Value::Type(kind) => Ok(Value::Bool(is_instance(kind, c.arg(0)))),
            _ => Ok(Value::Bool(false)),
        })],
    ),
    function(
        "stdlib::type_of",
        "Gives the type of a value.",
        &[plain(&[req("Any", "value")], |c| Ok(Value::of_type(infer_set(c.arg(0)))))],
    ),
];

fn any2array(call: &mut Call<'_, '_>) -> EvalResult {
    let mut args = old_args(call);
    if args.len() != 1 {
        return Ok(Value::array(args));
    }
    match &args[0] {
        Value::Array(_) => Ok(args.swap_remove(0)),
        Value::Str(text) if text.is_empty() => Ok(Value::array([])),
        Value::Hash(hash) => {
            Ok(Value::array(hash.iter().flat_map(|(k, v)| [k.clone(), v.clone()])))
        }
        _ => Ok(Value::array(args)),
    }
}

fn any2bool(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.first() {
        None => fail("any2bool(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Bool(b)) => Ok(Value::Bool(*b)),
        Some(Value::Undef) => Ok(Value::Bool(false)),
        Some(value @ (Value::Int(_) | Value::Float(_))) => Ok(Value::Bool(is_positive(value)?)),
        Some(value @ Value::Str(text)) => {
            if ordain_functions::float::parse_ruby(text).is_ok() {
                Ok(Value::Bool(is_positive(value)?))
            } else {
                Ok(Value::Bool(truth(value)?))
            }
        }
        Some(_) => Ok(Value::Bool(true)),
    }
}

/// The truth value of a text.
///
/// # Errors
/// When the value is not a text, or the text is not a truth value.
pub fn truth(value: &Value) -> EvalResult<bool> {
    match value {
        Value::Bool(b) => Ok(*b),
        Value::Str(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "t" | "y" | "true" | "yes" => Ok(true),
            "" | "0" | "f" | "n" | "false" | "no" => Ok(false),
            _ if text == "undef" || text == "undefined" => Ok(false),
            _ => fail("str2bool(): Unknown type of boolean given"),
        },
        _ => fail("str2bool(): Requires string to work with"),
    }
}

fn str2bool(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.first() {
        None => fail("str2bool(): Wrong number of arguments given (0 for 1)"),
        Some(value) => Ok(Value::Bool(truth(value)?)),
    }
}

fn bool2num(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.first() {
        None => fail("bool2num(): Wrong number of arguments given (0 for 1)"),
        Some(value) => Ok(Value::Int(truth(value)?.into())),
    }
}

fn bool2str(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 && args.len() != 3 {
        return fail(format!("bool2str(): Wrong number of arguments given ({} for 3)", args.len()));
    }
    let Value::Bool(b) = args[0] else {
        return fail("bool2str(): Requires a boolean to work with");
    };
    if args[1..].iter().any(|v| v.as_str().is_none()) {
        return fail("bool2str(): Requires strings to convert to");
    }
    match (args.get(1), args.get(2)) {
        (Some(yes), Some(no)) => Ok(if b { yes.clone() } else { no.clone() }),
        _ => Ok(Value::str(if b { "true" } else { "false" })),
    }
}

fn is_positive(value: &Value) -> EvalResult<bool> {
    match value {
        Value::Int(i) => Ok(*i > 0),
        Value::Float(f) => Ok(*f >= 1.0),
        Value::Str(text) => match ordain_functions::float::parse_ruby(text) {
            Ok(f) => Ok(f >= 1.0),
            Err(error) => {
                fail(format!("num2bool(): '{text}' does not look like a number: {error}"))
            }
        },
        other => Ok(leading_integer(&ruby_text(other)) > 0),
    }
}

fn num2bool(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!("num2bool(): Wrong number of arguments given ({} for 1)", args.len()));
    }
    Ok(Value::Bool(is_positive(&args[0])?))
}

/// Ruby's `to_i`.
fn integer(value: &Value) -> EvalResult<i64> {
    match value {
        Value::Int(i) => Ok(*i),
        Value::Float(f) => integer_of(f.trunc())?.as_int().map_or_else(|| fail("NaN"), Ok),
        Value::Str(text) => Ok(leading_integer(text)),
        Value::Undef => Ok(0),
        other => no_method("to_i", other),
    }
}

fn clamp(call: &mut Call<'_, '_>) -> EvalResult {
    let args = flat(&old_args(call))?;
    if args.len() != 3 {
        return fail("clamp(): Wrong number of arguments, need three to clamp");
    }
    let mut numbers = Vec::new();
    for value in &args {
        match value {
            Value::Str(text) if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) => {
                return fail(format!("clamp(): Required explicit numeric ({text}:String)"));
            }
            Value::Hash(_) => {
                let text = ruby_text(value);
                return fail(format!("clamp(): The Hash type is not allowed ({text})"));
            }
            value => numbers.push(integer(value)?),
        }
    }
    numbers.sort_unstable();
    Ok(Value::Int(numbers[1]))
}

fn convert_base(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    for (value, which) in args.iter().zip(["First", "Second"]) {
        if !matches!(value, Value::Int(_) | Value::Str(_)) {
            return fail(format!(
                "convert_base(): {which} argument must be either a string or an integer"
            ));
        }
    }
    for value in &args {
        if let Value::Str(text) = value
            && (text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()))
        {
            return fail(
                "convert_base(): First argument must be an integer or a string corresponding to an \
                 integer in base 10",
            );
        }
    }
    let base = integer(at(&args, 1))?;
    if !(2..=36).contains(&base) {
        return fail("convert_base(): base must be at least 2 and must not be greater than 36");
    }
    let number: i128 = match &args[0] {
        Value::Str(text) => match text.parse() {
            Ok(number) => number,
            Err(_) => return fail("convert_base(): the number is too big"),
        },
        value => integer(value)?.into(),
    };
    Ok(Value::from(in_base(number, base as u128)))
}

fn in_base(number: i128, base: u128) -> String {
    let mut rest = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % base) as u32, 36).unwrap_or('0'));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        digits.push('-');
    }
    digits.iter().rev().collect()
}

fn to_bytes(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!("to_bytes(): Wrong number of arguments given ({} for 1)", args.len()));
    }
    let text = match &args[0] {
        value @ (Value::Int(_) | Value::Float(_)) => return Ok(value.clone()),
        Value::Str(text) => text,
        Value::Undef => return no_method("[]", &Value::Undef),
        other => {
            let class = crate::functions::legacy::conversion_name(other);
            return fail(format!("no implicit conversion of {class} into String"));
        }
    };
    integer_of(ordain_functions::text::to_bytes(text).map_err(wrap)?.trunc())
}

/// The values of a list, or the single value as a list.
pub(crate) fn as_list(value: &Value) -> Arc<Vec<Value>> {
    match value {
        Value::Array(items) => Arc::clone(items),
        other => Arc::new(vec![other.clone()]),
    }
}
