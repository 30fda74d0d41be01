//! Methods of ranges and enumerators.

use std::cell::Cell;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{ProcBody, Range, Value};

pub(super) const TABLE: &[Method] = &[
    e("each", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        i.each(v, &mut |i, item| i.yield_one(&block, item).map(|_| true))?;
        Ok(v.clone())
    }),
    m("first", 0, 1, |i, v, a| match (v, a.len()) {
        (Value::Range(range), 0) => Ok(range.low.clone()),
        _ => super::enumerable::first(i, v, a),
    }),
    m("begin", 0, 0, |_, v, _| Ok(range(v).map_or(Value::Nil, |r| r.low.clone()))),
    m("end", 0, 0, |_, v, _| Ok(range(v).map_or(Value::Nil, |r| r.high.clone()))),
    m("last", 0, 1, |i, v, a| match range(v) {
        Some(range) if a.len() == 0 => Ok(range.high.clone()),
        _ => {
            let items = i.collect(v)?;
            i.send(&Value::array(items), "last", std::mem::take(&mut a.list))
        }
    }),
    m("min", 0, 1, |i, v, a| bound(i, v, a, "min")),
    m("max", 0, 1, |i, v, a| bound(i, v, a, "max")),
    m("include?", 1, 1, cover),
    m("member?", 1, 1, cover),
    m("cover?", 1, 1, cover),
    m("===", 1, 1, cover),
    m("exclude_end?", 0, 0, |_, v, _| Ok(Value::Bool(range(v).is_some_and(|r| r.is_open)))),
    m("size", 0, 0, size),
    m("count", 0, 1, |i, v, a| {
        if a.len() == 0 && a.block.is_none() { size(i, v, a) } else { super::fold::count(i, v, a) }
    }),
    e("step", 1, 1, step),
    e("%", 1, 1, step),
];

fn range(v: &Value) -> Option<&Range> {
    match v {
        Value::Range(range) => Some(range),
        _ => None,
    }
}

fn cover(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match range(v) {
        Some(range) => Ok(Value::Bool(i.covers(range, &a.list[0])?)),
        None => Ok(Value::Bool(false)),
    }
}

fn bound(i: &mut Interp<'_>, v: &Value, a: &mut Args, name: &str) -> Eval {
    let items = i.collect(v)?;
    let args = std::mem::take(a);
    i.dispatch(&Value::array(items), &name.into(), args)
}

fn size(i: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    let Some(range) = range(v) else { return Ok(Value::Nil) };
    match (&range.low, &range.high) {
        (Value::Int(low), Value::Int(high)) => {
            let count = high.saturating_sub(*low).saturating_add(i64::from(!range.is_open));
            Ok(Value::Int(count.max(0)))
        }
        (Value::Int(_), Value::Nil) => Ok(Value::Float(f64::INFINITY)),
        _ => {
            let items = i.collect(v)?;
            Ok(Value::Int(items.len() as i64))
        }
    }
}

fn step(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let step = i.int(&a.list[0])?;
    let Ok(step) = usize::try_from(step) else {
        return i.raise(Class::ARGUMENT_ERROR, "step can't be negative");
    };
    if step == 0 {
        return i.raise(Class::ARGUMENT_ERROR, "step can't be 0");
    }
    let mut n = 0;
    i.each(v, &mut |i, item| {
        let is_due = n % step == 0;
        n += 1;
        if is_due {
            i.yield_one(&block, item)?;
        }
        Ok(true)
    })?;
    Ok(v.clone())
}

/// Methods of enumerators.
pub(super) const ENUMERATOR: &[Method] = &[
    m("each", 0, 0, |i, v, a| match (v, a.block.take()) {
        (Value::Enumerator(enumerator), Some(block)) => i.run_enumerator_with(enumerator, block),
        _ => Ok(v.clone()),
    }),
    m("with_index", 0, 1, with_index),
    m("each_with_index", 0, 0, with_index),
    m("with_object", 1, 1, |i, v, a| {
        let Some(block) = a.block.take() else { return i.unsupported("this enumerator") };
        let memo = a.get(0);
        if let Value::Enumerator(enumerator) = v {
            i.run_enumerator(enumerator, ProcBody::WithObject(block, memo.clone()))?;
        }
        Ok(memo)
    }),
    m("size", 0, 0, |i, v, _| {
        let items = i.collect(v)?;
        Ok(Value::Int(items.len() as i64))
    }),
    m("next", 0, 0, |i, _, _| i.unsupported("`next' of an enumerator")),
];

fn with_index(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let start = match a.opt(0) {
        Some(start) => i.int(start)?,
        None => 0,
    };
    let Some(block) = a.block.take() else {
        let items = i.collect(v)?;
        let numbered = items.into_iter().zip(start..);
        let pairs = numbered.map(|(item, n)| Value::array(vec![item, Value::Int(n)])).collect();
        let pairs = i.list(pairs)?;
        return i.send(&pairs, "each", vec![]);
    };
    match v {
        Value::Enumerator(enumerator) => {
            i.run_enumerator(enumerator, ProcBody::WithIndex(block, Cell::new(start)))
        }
        _ => Ok(Value::Nil),
    }
}
