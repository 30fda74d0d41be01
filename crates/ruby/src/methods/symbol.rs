//! Methods of symbols, which apply to their names.

use std::rc::Rc;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::value::{Proc, ProcBody, Value};

pub(super) const TABLE: &[Method] = &[
    m("to_s", 0, 0, name),
    m("name", 0, 0, name),
    m("id2name", 0, 0, name),
    m("to_sym", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_proc", 0, 0, |_, v, _| {
        let body = ProcBody::Symbol(v.as_name().unwrap_or_default());
        Ok(Value::Proc(Rc::new(Proc { body, is_lambda: true })))
    }),
    m("length", 0, 0, |i, v, a| of_text(i, v, a, "length")),
    m("size", 0, 0, |i, v, a| of_text(i, v, a, "length")),
    m("empty?", 0, 0, |i, v, a| of_text(i, v, a, "empty?")),
    m("start_with?", 0, -1, |i, v, a| of_text(i, v, a, "start_with?")),
    m("end_with?", 0, -1, |i, v, a| of_text(i, v, a, "end_with?")),
    m("[]", 1, 2, |i, v, a| of_text(i, v, a, "[]")),
    m("=~", 1, 1, |i, v, a| of_text(i, v, a, "=~")),
    m("match?", 1, 1, |i, v, a| of_text(i, v, a, "match?")),
    m("upcase", 0, 0, |i, v, a| symbol_of(i, v, a, "upcase")),
    m("downcase", 0, 0, |i, v, a| symbol_of(i, v, a, "downcase")),
    m("capitalize", 0, 0, |i, v, a| symbol_of(i, v, a, "capitalize")),
    m("swapcase", 0, 0, |i, v, a| symbol_of(i, v, a, "swapcase")),
    m("succ", 0, 0, |i, v, a| symbol_of(i, v, a, "succ")),
];

fn name(i: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    i.text(v.as_name().unwrap_or_default())
}

fn of_text(i: &mut Interp<'_>, v: &Value, a: &mut Args, method: &str) -> Eval {
    let text = Value::str(v.as_name().unwrap_or_default());
    match i.library.method(Class::STRING, method) {
        Some(method) => (method.body)(i, &text, a),
        None => Ok(Value::Nil),
    }
}

fn symbol_of(i: &mut Interp<'_>, v: &Value, a: &mut Args, method: &str) -> Eval {
    let text = of_text(i, v, a, method)?;
    Ok(Value::Symbol(text.as_name().unwrap_or_default()))
}
