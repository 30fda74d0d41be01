//! Methods that change arrays.

use super::array::{array, items, place};
use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Array, Value};

macro_rules! bang {
    ($name:literal, $plain:literal) => {
        m($name, 0, 1, |i, v, a| change(i, v, a, $plain, true))
    };
}

macro_rules! bang_block {
    ($name:literal, $plain:literal, $tells:literal) => {
        e($name, 0, 0, |i, v, a| change(i, v, a, $plain, $tells))
    };
}

pub(super) const TABLE: &[Method] = &[
    m("[]=", 2, 3, set),
    m("<<", 1, 1, push),
    m("push", 0, -1, push),
    m("append", 0, -1, push),
    m("concat", 0, -1, |i, v, a| {
        let array = changeable(i, v)?;
        for other in &a.list {
            let more = items(i, other)?;
            i.charge_items(more.len())?;
            array.items.borrow_mut().extend(more);
        }
        Ok(v.clone())
    }),
    m("pop", 0, 1, |i, v, a| {
        let array = changeable(i, v)?;
        let Some(count) = a.opt(0) else {
            return Ok(array.items.borrow_mut().pop().unwrap_or_default());
        };
        let count = usize::try_from(i.int(count)?).unwrap_or(0);
        let keep = array.len().saturating_sub(count);
        let taken = array.items.borrow_mut().split_off(keep);
        i.list(taken)
    }),
    m("shift", 0, 1, |i, v, a| {
        let array = changeable(i, v)?;
        i.steps(array.len() / 64)?;
        if array.len() == 0 && a.len() == 0 {
            return Ok(Value::Nil);
        }
        let count = match a.opt(0) {
            None => return Ok(array.items.borrow_mut().remove(0)),
            Some(count) => usize::try_from(i.int(count)?).unwrap_or(0),
        };
        let count = count.min(array.len());
        let taken = array.items.borrow_mut().drain(..count).collect();
        i.list(taken)
    }),
    m("unshift", 0, -1, unshift),
    m("prepend", 0, -1, unshift),
    m("insert", 1, -1, |i, v, a| {
        let array = changeable(i, v)?;
        let at = i.int(&a.list[0])?;
        let at = if at < 0 { at + 1 } else { at };
        let length = array.len();
        let place = if at <= 0 && i.int(&a.list[0])? < 0 {
            Some((length as i64 + at).max(0) as usize)
        } else {
            place(at, length)
        };
        let Some(at) = place else {
            return i.raise(Class::INDEX_ERROR, "index too small for array");
        };
        i.charge_items(at.saturating_sub(length) + length / 8)?;
        let mut list = array.items.borrow_mut();
        if at > list.len() {
            list.resize(at, Value::Nil);
        }
        list.splice(at..at, a.list.drain(1..));
        drop(list);
        Ok(v.clone())
    }),
    m("clear", 0, 0, |i, v, _| {
        let old = changeable(i, v)?.items.take();
        drop(old);
        Ok(v.clone())
    }),
    m("replace", 1, 1, |i, v, a| {
        let new = items(i, &a.list[0])?;
        i.charge_items(new.len())?;
        let old = changeable(i, v)?.items.replace(new);
        drop(old);
        Ok(v.clone())
    }),
    m("fill", 1, 1, |i, v, a| {
        let array = changeable(i, v)?;
        let new = vec![a.get(0); array.len()];
        let old = array.items.replace(new);
        drop(old);
        Ok(v.clone())
    }),
    m("delete", 1, 1, |i, v, a| {
        let array = changeable(i, v)?;
        let (mut kept, mut found) = (Vec::new(), Value::Nil);
        for item in array.get() {
            if i.equal(&item, &a.list[0])? { found = item } else { kept.push(item) }
        }
        i.charge_items(kept.len())?;
        let old = array.items.replace(kept);
        drop(old);
        Ok(found)
    }),
    m("delete_at", 1, 1, |i, v, a| {
        let array = changeable(i, v)?;
        let at = i.int(&a.list[0])?;
        i.steps(array.len() / 64)?;
        match place(at, array.len()).filter(|at| *at < array.len()) {
            Some(at) => Ok(array.items.borrow_mut().remove(at)),
            None => Ok(Value::Nil),
        }
    }),
    e("delete_if", 0, 0, |i, v, a| change(i, v, a, "reject", false)),
    e("keep_if", 0, 0, |i, v, a| change(i, v, a, "select", false)),
    bang_block!("map!", "map", false),
    bang_block!("collect!", "map", false),
    bang_block!("select!", "select", true),
    bang_block!("filter!", "select", true),
    bang_block!("reject!", "reject", true),
    bang_block!("sort_by!", "sort_by", false),
    m("sort!", 0, 0, |i, v, a| change(i, v, a, "sort", false)),
    m("reverse!", 0, 0, |i, v, a| change(i, v, a, "reverse", false)),
    bang!("uniq!", "uniq"),
    bang!("compact!", "compact"),
    bang!("flatten!", "flatten"),
    m("slice!", 1, 2, |i, v, a| {
        let mut copy = a.clone();
        let found = i.dispatch(v, &"slice".into(), std::mem::take(&mut copy))?;
        let array = changeable(i, v)?;
        let length = array.len();
        let span = match (&a.list[0], a.opt(1)) {
            (Value::Range(range), None) => super::string_edit::range_span(i, range, length)?,
            (at, count) => {
                let count = match count {
                    Some(count) => i.int(count)?,
                    None => 1,
                };
                let at = i.int(at)?;
                place(at, length).zip(usize::try_from(count).ok())
            }
        };
        if let Some((start, count)) = span.filter(|(start, _)| *start < length) {
            let end = start.saturating_add(count).min(length);
            let gone: Vec<Value> = array.items.borrow_mut().drain(start..end).collect();
            drop(gone);
        }
        Ok(found)
    }),
];

/// The receiver as an array that may change.
fn changeable(i: &mut Interp<'_>, v: &Value) -> Eval<std::rc::Rc<Array>> {
    let array = array(v);
    if array.is_frozen.get() || !i.host_allows(array.number.get()) {
        let text = format!("can't modify frozen Array: {}", i.inspect(v)?);
        return i.raise(Class::FROZEN_ERROR, text);
    }
    Ok(array)
}

/// Runs the method without `!` and stores its result in the array. If `tells`, returns `nil` if no
/// item was removed.
fn change(i: &mut Interp<'_>, v: &Value, a: &mut Args, plain: &str, tells: bool) -> Eval {
    let target = changeable(i, v)?;
    let Some(method) = i.library.method(Class::ARRAY, plain) else { return Ok(Value::Nil) };
    let new = (method.body)(i, v, a)?.as_items().unwrap_or_default();
    let is_same = new.len() == target.len();
    let old = target.items.replace(new);
    drop(old);
    Ok(if tells && is_same { Value::Nil } else { v.clone() })
}

fn push(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let array = changeable(i, v)?;
    i.charge_items(a.len())?;
    array.items.borrow_mut().append(&mut a.list);
    Ok(v.clone())
}

fn unshift(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let array = changeable(i, v)?;
    i.charge_items(a.len())?;
    i.steps(array.len() / 64)?;
    array.items.borrow_mut().splice(0..0, a.list.drain(..));
    Ok(v.clone())
}

fn set(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let array = changeable(i, v)?;
    if a.len() == 3 || matches!(a.list[0], Value::Range(_)) {
        return i.unsupported("the assignment of a part of an array");
    }
    let at = i.int(&a.list[0])?;
    let length = array.len();
    let Some(at) = place(at, length) else {
        let text = format!("index {at} too small for array; minimum: -{length}");
        return i.raise(Class::INDEX_ERROR, text);
    };
    if at >= length {
        i.charge_items(at - length + 1)?;
        array.items.borrow_mut().resize(at + 1, Value::Nil);
    }
    let old = std::mem::replace(&mut array.items.borrow_mut()[at], a.get(1));
    drop(old);
    Ok(a.get(1))
}
