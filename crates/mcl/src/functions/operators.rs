//! What operators and lookups are at run time: the internal functions `_operator`, `_lookup` and
//! `_struct_lookup`.

use super::{Builtin, Call, Fault, Outcome, global};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "_lookup",
        "func(listormap []?1, indexorkey int) ?1 | func(listormap map{?1: ?2}, indexorkey ?1) ?2",
        "The element of a list or a map: `a[b]`.",
        global::lookup,
    )
    .catchable()
    .variable(),
    Builtin::pure(
        "_operator",
        "func(op str, a ?1, b ?1) ?2",
        "The value of an operator with one or two operands.",
        operator,
    )
    .catchable()
    .variable(),
    Builtin::pure(
        "_struct_lookup",
        "func(struct ?1, field str) ?2",
        "The field of a struct: `s->f`.",
        field,
    )
    .variable(),
    Builtin::pure(
        "_struct_lookup_optional",
        "func(struct ?1, field str, optional ?2) ?2",
        "The field of a struct, or a default if its type has none: `s->f <|> d`.",
        field,
    )
    .variable(),
];

fn field(call: &mut Call<'_>) -> Outcome {
    let name = call.text(1)?;
    if name.is_empty() {
        return Err(Fault::fatal("received empty field"));
    }
    match call.record(0)?.get(&name) {
        Some(value) => Ok(value.clone()),
        None if call.args.len() > 2 => call.value(2).cloned(),
        None => Err(Fault::fatal(format!("could not lookup field: `{name}` in struct"))),
    }
}

fn operator(call: &mut Call<'_>) -> Outcome {
    let operator = call.str(0)?.as_str().unwrap_or("");
    let (a, b) = (call.value(1)?, call.args.get(2).copied());
    let Some(b) = b else {
        return match (operator, a) {
            ("not", Value::Bool(a)) => Ok((!a).into()),
            _ => Err(unsupported(a)),
        };
    };
    match operator {
        "==" => equal(a, b).map(Value::from),
        "!=" => equal(a, b).map(|is_equal| (!is_equal).into()),
        "<" | "<=" | ">" | ">=" => order(operator, a, b),
        "and" | "or" => match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => {
                Ok(if operator == "and" { *a && *b } else { *a || *b }.into())
            }
            _ => Err(unsupported(a)),
        },
        "in" => match b {
            Value::List(items) => Ok(items.contains(a).into()),
            _ => Err(unsupported(b)),
        },
        _ => arithmetic(operator, a, b),
    }
}

fn unsupported(value: &Value) -> Fault {
    Fault::fatal(format!("unsupported kind: {}", value.kind()))
}

fn equal(a: &Value, b: &Value) -> Result<bool, Fault> {
    if matches!(a, Value::Func(_)) { Err(unsupported(a)) } else { Ok(a == b) }
}

fn order(operator: &str, a: &Value, b: &Value) -> Outcome {
    let order = match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        _ => return Err(unsupported(a)),
    };
    Ok(order
        .is_some_and(|order| match operator {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        })
        .into())
}

fn arithmetic(operator: &str, a: &Value, b: &Value) -> Outcome {
    match (operator, a, b) {
        ("+", Value::Str(a), Value::Str(b)) => {
            Ok(Value::bytes([a.as_bytes(), b.as_bytes()].concat()))
        }
        ("+", Value::Int(a), Value::Int(b)) => Ok(a.wrapping_add(*b).into()),
        ("-", Value::Int(a), Value::Int(b)) => Ok(a.wrapping_sub(*b).into()),
        ("*", Value::Int(a), Value::Int(b)) => Ok(a.wrapping_mul(*b).into()),
        ("/", Value::Int(a), Value::Int(b)) => divide(*a as f64, *b as f64),
        ("+", Value::Float(a), Value::Float(b)) => Ok((a + b).into()),
        ("-", Value::Float(a), Value::Float(b)) => Ok((a - b).into()),
        ("*", Value::Float(a), Value::Float(b)) => Ok((a * b).into()),
        ("/", Value::Float(a), Value::Float(b)) => divide(*a, *b),
        _ => Err(unsupported(a)),
    }
}

fn divide(a: f64, b: f64) -> Outcome {
    if b == 0.0 { Err(Fault::catchable("can't divide by zero")) } else { Ok((a / b).into()) }
}
