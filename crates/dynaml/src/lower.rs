//! Finished documents as plain data.

use ordain_data::Value as Data;

use crate::eval::lambda::lambda_text;
use crate::syntax::ast::Exprs;
use crate::value::{Flags, Item, Value};

/// The plain data of a value; lambdas as the text they print as. Nodes that are marked as
/// temporary are left out.
pub fn data(exprs: &Exprs, value: &Value) -> Data {
    let shown = |item: &Item| !item.flags.has_any(Flags::TEMPORARY.with(Flags::LOCAL));
    match value {
        Value::Null => Data::Null,
        Value::Bool(b) => Data::Bool(*b),
        Value::Int(n) => Data::Int(*n),
        Value::Float(x) => Data::Float(*x),
        Value::Str(s) => Data::Str(s.clone()),
        Value::List(list) => {
            Data::list(list.items.iter().filter(|i| shown(i)).map(|i| data(exprs, &i.value)))
        }
        Value::Map(map) => Data::map(
            map.entries()
                .iter()
                .filter(|e| shown(&e.1))
                .map(|(k, i)| (k.clone(), data(exprs, &i.value))),
        ),
        Value::Lambda(lambda) => Data::str(format!("(( {} ))", lambda_text(exprs, lambda))),
        Value::Template(template) => data(exprs, &template.source),
    }
}

/// A value of plain data. Integers beyond 64 bits become floats.
pub fn value(data: &Data) -> Value {
    match data {
        Data::Null => Value::Null,
        Data::Bool(b) => Value::Bool(*b),
        Data::Int(n) => Value::Int(*n),
        Data::BigInt(digits) => Value::Float(digits.parse().unwrap_or(f64::INFINITY)),
        Data::Float(x) => Value::Float(*x),
        Data::Str(s) => Value::Str(s.clone()),
        Data::Bytes(b) => Value::str(String::from_utf8_lossy(b).into_owned()),
        Data::List(items) => Value::list(items.iter().map(value)),
        Data::Map(map) => Value::map(
            map.iter().map(|(k, v)| (k.as_str().unwrap_or_default().to_owned(), value(v))),
        ),
        Data::Secret(inner) => value(inner),
    }
}
