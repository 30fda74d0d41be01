//! Methods that do not change arrays.

use std::rc::Rc;

use super::string_edit::range_span;
use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Array, Entries, Key, Value};

pub(super) const TABLE: &[Method] = &[
    e("each", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        i.each(v, &mut |i, item| i.yield_one(&block, item).map(|_| true))?;
        Ok(v.clone())
    }),
    e("each_index", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        for n in 0..array(v).len() {
            i.yield_one(&block, Value::Int(n as i64))?;
        }
        Ok(v.clone())
    }),
    m("to_a", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_ary", 0, 0, |_, v, _| Ok(v.clone())),
    m("length", 0, 0, |_, v, _| Ok(Value::Int(array(v).len() as i64))),
    m("size", 0, 0, |_, v, _| Ok(Value::Int(array(v).len() as i64))),
    m("empty?", 0, 0, |_, v, _| Ok(Value::Bool(array(v).len() == 0))),
    m("[]", 1, 2, index),
    m("slice", 1, 2, index),
    m("at", 1, 1, index),
    m("dig", 1, -1, dig),
    m("fetch", 1, 2, fetch),
    m("values_at", 0, -1, |i, v, a| {
        let mut out = Vec::new();
        for at in std::mem::take(&mut a.list) {
            out.push(index(i, v, &mut Args { list: vec![at], ..Args::default() })?);
        }
        i.list(out)
    }),
    m("last", 0, 1, |i, v, a| {
        let items = array(v);
        let Some(count) = a.opt(0) else {
            return Ok(items.at(items.len().wrapping_sub(1)).unwrap_or_default());
        };
        let Ok(count) = usize::try_from(i.int(count)?) else {
            return i.raise(Class::ARGUMENT_ERROR, "negative array size");
        };
        let skip = items.len().saturating_sub(count);
        i.list(items.get().into_iter().skip(skip).collect())
    }),
    m("join", 0, 1, join),
    m("+", 1, 1, |i, v, a| {
        let mut out = array(v).get();
        out.extend(items(i, &a.list[0])?);
        i.list(out)
    }),
    m("-", 1, 1, |i, v, a| without(i, v, &[a.get(0)])),
    m("difference", 0, -1, |i, v, a| without(i, v, &a.list)),
    m("&", 1, 1, |i, v, a| common(i, v, &a.list[0])),
    m("intersection", 1, 1, |i, v, a| common(i, v, &a.list[0])),
    m("intersect?", 1, 1, |i, v, a| {
        let shared = common(i, v, &a.list[0])?;
        Ok(Value::Bool(array(&shared).len() > 0))
    }),
    m("|", 1, 1, union),
    m("union", 0, -1, union),
    m("*", 1, 1, |i, v, a| {
        if let Value::Str(_) = a.list[0] {
            return join(i, v, a);
        }
        let Ok(count) = usize::try_from(i.int(&a.list[0])?) else {
            return i.raise(Class::ARGUMENT_ERROR, "argument must be non-negative");
        };
        let items = array(v).get();
        i.charge_items(items.len().saturating_mul(count))?;
        Ok(Value::array((0..count).flat_map(|_| items.iter().cloned()).collect()))
    }),
    m("reverse", 0, 0, |i, v, _| i.list(array(v).get().into_iter().rev().collect())),
    m("rotate", 0, 1, |i, v, a| {
        let by = if a.len() == 0 { 1 } else { i.int(&a.list[0])? };
        let mut items = array(v).get();
        if !items.is_empty() {
            let by = by.rem_euclid(items.len() as i64) as usize;
            items.rotate_left(by);
        }
        i.list(items)
    }),
    m("compact", 0, 0, |i, v, _| {
        i.list(array(v).get().into_iter().filter(|item| !item.is_nil()).collect())
    }),
    m("flatten", 0, 1, |i, v, a| {
        let depth = match a.opt(0) {
            Some(Value::Nil) | None => -1,
            Some(depth) => i.int(depth)?,
        };
        let mut out = Vec::new();
        flatten(i, &array(v), depth, &mut out)?;
        i.list(out)
    }),
    m("index", 0, 1, super::fold::find_index),
    m("rindex", 1, 1, |i, v, a| {
        for (n, item) in array(v).get().iter().enumerate().rev() {
            if i.equal(item, &a.list[0])? {
                return Ok(Value::Int(n as i64));
            }
        }
        Ok(Value::Nil)
    }),
    m("assoc", 1, 1, |i, v, a| {
        for item in array(v).get() {
            if let Value::Array(pair) = &item
                && let Some(key) = pair.at(0)
                && i.equal(&key, &a.list[0])?
            {
                return Ok(item);
            }
        }
        Ok(Value::Nil)
    }),
    m("transpose", 0, 0, transpose),
    m("shelljoin", 0, 0, |i, v, _| {
        let mut words = Vec::new();
        for item in array(v).get() {
            words.push(i.display(&item)?);
        }
        i.text(ordain_functions::shell::join(words.iter().map(|w| w.as_str())))
    }),
    m("hash", 0, 0, |i, _, _| i.unsupported("`hash'")),
];

/// The array of a receiver.
pub(super) fn array(v: &Value) -> Rc<Array> {
    match v {
        Value::Array(array) => Rc::clone(array),
        _ => Rc::default(),
    }
}

/// The items of an argument that must be an array.
pub(super) fn items(i: &Interp<'_>, v: &Value) -> Eval<Vec<Value>> {
    match v {
        Value::Array(array) => Ok(array.get()),
        other => i.no_conversion(other, "Array"),
    }
}

/// The place for an index, which may count from the end.
pub(super) fn place(at: i64, length: usize) -> Option<usize> {
    let at = if at < 0 { at + length as i64 } else { at };
    usize::try_from(at).ok()
}

fn index(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let array = array(v);
    let length = array.len();
    let span = match (&a.list[0], a.opt(1)) {
        (Value::Range(range), None) => range_span(i, range, length)?,
        (at, None) => {
            let at = i.int(at)?;
            return Ok(place(at, length).and_then(|at| array.at(at)).unwrap_or_default());
        }
        (at, Some(count)) => {
            let (at, count) = (i.int(at)?, i.int(count)?);
            let at = place(at, length).filter(|at| *at <= length);
            at.zip(usize::try_from(count).ok())
        }
    };
    let Some((start, count)) = span else { return Ok(Value::Nil) };
    let items = array.items.borrow();
    let end = start.saturating_add(count).min(items.len());
    i.list(items[start..end].to_vec())
}

pub(super) fn dig(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let mut value = v.clone();
    for key in std::mem::take(&mut a.list) {
        value = match &value {
            Value::Nil => return Ok(Value::Nil),
            Value::Array(_) | Value::Hash(_) => i.send(&value, "[]", vec![key])?,
            other => {
                let text = format!("{} does not have #dig method", i.class_name(other));
                return i.raise(Class::TYPE_ERROR, text);
            }
        };
    }
    Ok(value)
}

fn fetch(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let array = array(v);
    let at = i.int(&a.list[0])?;
    if let Some(item) = place(at, array.len()).and_then(|at| array.at(at)) {
        return Ok(item);
    }
    match (a.block.take(), a.opt(1)) {
        (Some(block), _) => i.yield_one(&block, a.get(0)),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => {
            let n = array.len() as i64;
            let text = format!("index {at} outside of array bounds: {}...{n}", -n);
            i.raise(Class::INDEX_ERROR, text)
        }
    }
}

fn join(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let between = match a.opt(0) {
        None | Some(Value::Nil) => ecow::EcoString::new(),
        Some(between) => i.str(between)?,
    };
    let mut out = String::new();
    join_into(i, &array(v), &between, &mut out)?;
    i.text(out)
}

fn join_into(i: &mut Interp<'_>, array: &Array, between: &str, out: &mut String) -> Eval<()> {
    i.check_stack()?;
    for n in 0..array.len() {
        let item = array.at(n).unwrap_or_default();
        i.steps(1)?;
        if n > 0 {
            i.charge(between.len())?;
            out.push_str(between);
        }
        if let Value::Array(inner) = &item {
            join_into(i, inner, between, out)?;
            continue;
        }
        let text = i.display(&item)?;
        i.charge(text.len())?;
        out.push_str(&text);
    }
    Ok(())
}

pub(super) fn flatten(
    i: &mut Interp<'_>,
    array: &Array,
    depth: i64,
    out: &mut Vec<Value>,
) -> Eval<()> {
    i.check_stack()?;
    for n in 0..array.len() {
        i.steps(1)?;
        match array.at(n).unwrap_or_default() {
            Value::Array(inner) if depth != 0 => flatten(i, &inner, depth - 1, out)?,
            item => {
                i.charge(size_of::<Value>())?;
                out.push(item);
            }
        }
    }
    Ok(())
}

fn without(i: &mut Interp<'_>, v: &Value, others: &[Value]) -> Eval {
    let mut gone = Entries::default();
    for other in others {
        gone.extend(items(i, other)?.into_iter().map(|item| (Key::new(item), Value::Nil)));
    }
    let left =
        array(v).get().into_iter().filter(|item| !gone.contains_key(&crate::value::Ref(item)));
    i.list(left.collect())
}

fn common(i: &mut Interp<'_>, v: &Value, other: &Value) -> Eval {
    let other: Entries =
        items(i, other)?.into_iter().map(|item| (Key::new(item), Value::Nil)).collect();
    let mut seen = Entries::default();
    for item in array(v).get() {
        if other.contains_key(&crate::value::Ref(&item)) {
            seen.entry(Key::new(item.clone())).or_insert(item);
        }
    }
    i.list(seen.into_values().collect())
}

fn union(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let mut seen = Entries::default();
    let mut all = array(v).get();
    for other in &a.list {
        all.extend(items(i, other)?);
    }
    for item in all {
        seen.entry(Key::new(item.clone())).or_insert(item);
    }
    i.list(seen.into_values().collect())
}

fn transpose(i: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    let mut rows = Vec::new();
    for row in array(v).get() {
        rows.push(items(i, &row)?);
    }
    let width = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().find(|row| row.len() != width) {
        let text = format!("element size differs ({} should be {width})", row.len());
        return i.raise(Class::INDEX_ERROR, text);
    }
    let column = |n: usize| Value::array(rows.iter().map(|row| row[n].clone()).collect());
    i.list((0..width).map(column).collect())
}
