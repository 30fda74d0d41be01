//! Methods of times, mainly for printing.

use std::rc::Rc;

use crate::eval::Interp;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::value::{Time, Value};

pub(super) const TABLE: &[Method] = &[
    m("to_i", 0, 0, |_, v, _| Ok(Value::Int((nanos(v).div_euclid(1_000_000_000)) as i64))),
    m("to_f", 0, 0, |_, v, _| Ok(Value::Float(nanos(v) as f64 / 1e9))),
    m("utc", 0, 0, |_, v, _| Ok(utc(v))),
    m("getutc", 0, 0, |_, v, _| Ok(utc(v))),
    m("gmtime", 0, 0, |_, v, _| Ok(utc(v))),
    m("year", 0, 0, |i, v, _| part(i, v, "%Y")),
    m("month", 0, 0, |i, v, _| part(i, v, "%m")),
    m("day", 0, 0, |i, v, _| part(i, v, "%d")),
    m("hour", 0, 0, |i, v, _| part(i, v, "%H")),
    m("min", 0, 0, |i, v, _| part(i, v, "%M")),
    m("sec", 0, 0, |i, v, _| part(i, v, "%S")),
    m("strftime", 1, 1, |i, v, a| {
        let format = i.str(&a.list[0])?;
        let Value::Time(time) = v else { return Ok(Value::Nil) };
        match ordain_functions::time::format(&format, time.nanos, Some(time.offset)) {
            Ok(text) => i.text(text),
            Err(error) => i.unsupported(error.to_string()),
        }
    }),
];

/// A component of a time.
fn part(i: &mut Interp<'_>, v: &Value, format: &str) -> Eval {
    let text = i.send(v, "strftime", vec![Value::str(format)])?;
    i.send(&text, "to_i", vec![])
}

fn nanos(v: &Value) -> i128 {
    match v {
        Value::Time(time) => time.nanos,
        _ => 0,
    }
}

fn utc(v: &Value) -> Value {
    Value::Time(Rc::new(Time { nanos: nanos(v), offset: 0, is_utc: true }))
}
