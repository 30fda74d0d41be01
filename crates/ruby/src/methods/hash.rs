//! Methods of hashes.

use std::rc::Rc;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Entries, Hash, Key, Proc, Ref, Value};

pub(super) const TABLE: &[Method] = &[
    m("[]", 1, 1, |i, v, a| i.hash_get(v, &a.list[0])),
    m("[]=", 2, 2, set),
    m("store", 2, 2, set),
    m("fetch", 1, 2, fetch),
    m("dig", 1, -1, super::array::dig),
    m("key?", 1, 1, has_key),
    m("has_key?", 1, 1, has_key),
    m("include?", 1, 1, has_key),
    m("member?", 1, 1, has_key),
    m("value?", 1, 1, has_value),
    m("has_value?", 1, 1, has_value),
    m("key", 1, 1, |i, v, a| {
        for (key, value) in hash(v).pairs() {
            if i.equal(&value, &a.list[0])? {
                return Ok(key);
            }
        }
        Ok(Value::Nil)
    }),
    m("keys", 0, 0, |i, v, _| i.list(hash(v).pairs().into_iter().map(|(key, _)| key).collect())),
    m("values", 0, 0, |i, v, _| i.list(hash(v).pairs().into_iter().map(|(_, v)| v).collect())),
    m("values_at", 0, -1, |i, v, a| {
        let mut out = Vec::new();
        for key in &a.list {
            out.push(i.hash_get(v, key)?);
        }
        i.list(out)
    }),
    m("fetch_values", 0, -1, |i, v, a| {
        let mut out = Vec::new();
        for key in std::mem::take(&mut a.list) {
            out.push(fetch(i, v, &mut Args { list: vec![key], ..Args::default() })?);
        }
        i.list(out)
    }),
    m("length", 0, 0, |_, v, _| Ok(Value::Int(hash(v).len() as i64))),
    m("size", 0, 0, |_, v, _| Ok(Value::Int(hash(v).len() as i64))),
    m("empty?", 0, 0, |_, v, _| Ok(Value::Bool(hash(v).len() == 0))),
    e("each", 0, 0, each),
    e("each_pair", 0, 0, each),
    e("each_key", 0, 0, |i, v, a| each_part(i, v, a, |(key, _)| key)),
    e("each_value", 0, 0, |i, v, a| each_part(i, v, a, |(_, value)| value)),
    e("select", 0, 0, |i, v, a| filter(i, v, a, true)),
    e("filter", 0, 0, |i, v, a| filter(i, v, a, true)),
    e("reject", 0, 0, |i, v, a| filter(i, v, a, false)),
    e("select!", 0, 0, |i, v, a| filter_here(i, v, a, true, true)),
    e("filter!", 0, 0, |i, v, a| filter_here(i, v, a, true, true)),
    e("keep_if", 0, 0, |i, v, a| filter_here(i, v, a, true, false)),
    e("reject!", 0, 0, |i, v, a| filter_here(i, v, a, false, true)),
    e("delete_if", 0, 0, |i, v, a| filter_here(i, v, a, false, false)),
    m("any?", 0, 1, |i, v, a| match a.block.take() {
        Some(block) => {
            for (key, value) in hash(v).pairs() {
                if i.call_block(&block, &[Value::array(vec![key, value])])?.truthy() {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        None => Ok(Value::Bool(hash(v).len() > 0)),
    }),
    m("count", 0, 1, |i, v, a| {
        if a.len() == 0 && a.block.is_none() {
            return Ok(Value::Int(hash(v).len() as i64));
        }
        super::fold::count(i, v, a)
    }),
    m("delete", 1, 1, |i, v, a| {
        let hash = changeable(i, v)?;
        i.steps(hash.len() / 64)?;
        let gone = hash.entries.borrow_mut().shift_remove(&Ref(&a.list[0]));
        match (gone, a.block.take()) {
            (Some(value), _) => Ok(value),
            (None, Some(block)) => i.yield_one(&block, a.get(0)),
            (None, None) => Ok(Value::Nil),
        }
    }),
    m("merge", 0, -1, |i, v, a| {
        let copy = i.send(v, "dup", vec![])?;
        merge(i, &copy, a)
    }),
    m("merge!", 0, -1, merge),
    m("update", 0, -1, merge),
    m("replace", 1, 1, |i, v, a| {
        let Value::Hash(other) = a.get(0) else { return i.no_conversion(&a.list[0], "Hash") };
        let new = other.entries.borrow().clone();
        i.charge_items(new.len() * 3)?;
        let old = changeable(i, v)?.entries.replace(new);
        drop(old);
        Ok(v.clone())
    }),
    m("clear", 0, 0, |i, v, _| {
        let old = changeable(i, v)?.entries.take();
        drop(old);
        Ok(v.clone())
    }),
    m("invert", 0, 0, |i, v, _| {
        i.charge_items(hash(v).len() * 3)?;
        Ok(Value::hash(hash(v).pairs().into_iter().map(|(key, value)| (value, key))))
    }),
    e("transform_values", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let mut out = Vec::new();
        for (key, value) in hash(v).pairs() {
            out.push((key, i.yield_one(&block, value)?));
        }
        made(i, out)
    }),
    e("transform_keys", 0, 1, |i, v, a| {
        let Some(block) = a.block.take() else {
            return i.unsupported("`transform_keys' with a hash");
        };
        let mut out = Vec::new();
        for (key, value) in hash(v).pairs() {
            out.push((i.yield_one(&block, key)?, value));
        }
        made(i, out)
    }),
    m("slice", 0, -1, |i, v, a| {
        let wanted = a.list.iter().filter_map(|key| Some((key.clone(), hash(v).get(key)?)));
        let all = wanted.collect();
        made(i, all)
    }),
    m("except", 0, -1, |i, v, a| {
        let gone: Entries = a.list.drain(..).map(|key| (Key::new(key), Value::Nil)).collect();
        let pairs = hash(v).pairs();
        let left = pairs.into_iter().filter(|(key, _)| !gone.contains_key(&Ref(key)));
        let left = left.collect();
        made(i, left)
    }),
    m("compact", 0, 0, |i, v, _| {
        let left = hash(v).pairs().into_iter().filter(|(_, value)| !value.is_nil()).collect();
        made(i, left)
    }),
    m("sort", 0, 0, super::enumerable::sort),
    e("sort_by", 0, 0, super::enumerable::sort_by),
    m("to_h", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(v.clone()) };
        let mut out = Vec::new();
        for (key, value) in hash(v).pairs() {
            match i.call_block(&block, &[key, value])?.as_items().as_deref() {
                Some([key, value]) => out.push((key.clone(), value.clone())),
                _ => return i.raise(Class::TYPE_ERROR, "wrong element type (expected array)"),
            }
        }
        made(i, out)
    }),
    e("transform_values!", 0, 0, |i, v, a| {
        let args = std::mem::take(a);
        let new = i.dispatch(v, &"transform_values".into(), args)?;
        i.send(v, "replace", vec![new])
    }),
    m("compact!", 0, 0, |i, v, _| {
        let before = hash(v).len();
        let new = i.send(v, "compact", vec![])?;
        i.send(v, "replace", vec![new])?;
        Ok(if hash(v).len() == before { Value::Nil } else { v.clone() })
    }),
    m("flatten", 0, 1, |i, v, a| {
        let depth = if a.len() == 0 { 1 } else { i.int(&a.list[0])? };
        let pairs = i.collect(v)?;
        i.send(&Value::array(pairs), "flatten", vec![Value::Int(depth)])
    }),
    m("to_hash", 0, 0, |_, v, _| Ok(v.clone())),
    m("default", 0, 1, |_, v, _| Ok(hash(v).default.borrow().clone())),
    m("default=", 1, 1, |i, v, a| {
        let hash = changeable(i, v)?;
        hash.default_is_block.set(false);
        *hash.default.borrow_mut() = a.get(0);
        Ok(a.get(0))
    }),
    m("shift", 0, 0, |i, v, _| {
        let hash = changeable(i, v)?;
        i.steps(hash.len() / 64)?;
        let gone = hash.entries.borrow_mut().shift_remove_index(0);
        Ok(gone.map_or(Value::Nil, |(key, value)| Value::array(vec![key.0, value])))
    }),
    m("assoc", 1, 1, |_, v, a| {
        let found = hash(v).get(&a.list[0]);
        Ok(found.map_or(Value::Nil, |value| Value::array(vec![a.get(0), value])))
    }),
    m("<=", 1, 1, |i, v, a| includes(i, &a.list[0], v, &a.list[0])),
    m(">=", 1, 1, |i, v, a| includes(i, v, &a.list[0], &a.list[0])),
    m("<", 1, 1, |i, v, a| {
        let has_all = includes(i, &a.list[0], v, &a.list[0])?;
        Ok(Value::Bool(has_all.truthy() && hash(v).len() < hash(&a.list[0]).len()))
    }),
    m(">", 1, 1, |i, v, a| {
        let has_all = includes(i, v, &a.list[0], &a.list[0])?;
        Ok(Value::Bool(has_all.truthy() && hash(v).len() > hash(&a.list[0]).len()))
    }),
    m("hash", 0, 0, |i, _, _| i.unsupported("`hash'")),
];

fn hash(v: &Value) -> Rc<Hash> {
    match v {
        Value::Hash(hash) => Rc::clone(hash),
        _ => Rc::default(),
    }
}

fn made(i: &mut Interp<'_>, pairs: Vec<(Value, Value)>) -> Eval {
    i.charge_items(pairs.len() * 3)?;
    Ok(Value::hash(pairs))
}

/// The receiver as a hash that may change.
fn changeable(i: &mut Interp<'_>, v: &Value) -> Eval<Rc<Hash>> {
    let hash = hash(v);
    if hash.is_frozen.get() || !i.host_allows(hash.number.get()) {
        let text = format!("can't modify frozen Hash: {}", i.inspect(v)?);
        return i.raise(Class::FROZEN_ERROR, text);
    }
    Ok(hash)
}

impl Interp<'_> {
    /// The value of a key, or the default of the hash.
    pub(crate) fn hash_get(&mut self, v: &Value, key: &Value) -> Eval {
        let hash = hash(v);
        if let Some(value) = hash.get(key) {
            return Ok(value);
        }
        let default = hash.default.borrow().clone();
        match &default {
            Value::Proc(block) if hash.default_is_block.get() => {
                self.call_block(block, &[v.clone(), key.clone()])
            }
            _ => Ok(default),
        }
    }
}

fn set(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let hash = changeable(i, v)?;
    i.charge_items(3)?;
    hash.insert(a.get(0), a.get(1));
    Ok(a.get(1))
}

fn fetch(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    if let Some(value) = hash(v).get(&a.list[0]) {
        return Ok(value);
    }
    match (a.block.take(), a.opt(1)) {
        (Some(block), _) => i.yield_one(&block, a.get(0)),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => {
            let text = format!("key not found: {}", i.inspect(&a.list[0])?);
            i.raise(Class::KEY_ERROR, text)
        }
    }
}

/// Whether a hash has all entries of another. `arg` is the argument, which may be no hash.
fn includes(i: &mut Interp<'_>, all: &Value, some: &Value, arg: &Value) -> Eval {
    if !matches!(arg, Value::Hash(_)) {
        return i.no_conversion(arg, "Hash");
    }
    for (key, value) in hash(some).pairs() {
        match hash(all).get(&key) {
            Some(other) if i.equal(&value, &other)? => {}
            _ => return Ok(Value::Bool(false)),
        }
    }
    Ok(Value::Bool(true))
}

fn has_key(_: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    Ok(Value::Bool(hash(v).entries.borrow().contains_key(&Ref(&a.list[0]))))
}

fn has_value(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    for (_, value) in hash(v).pairs() {
        if i.equal(&value, &a.list[0])? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// Whether a block takes key and value as two parameters, so that no array is needed.
fn takes_two(block: &Proc) -> bool {
    match &block.body {
        crate::value::ProcBody::Block { block: body, .. } => {
            body.is_simple && !block.is_lambda && body.params.required.len() >= 2
        }
        _ => false,
    }
}

fn each(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let takes_two = takes_two(&block);
    for (key, value) in hash(v).pairs() {
        i.steps(1)?;
        if takes_two {
            i.call_block(&block, &[key, value])?;
        } else {
            i.yield_one(&block, Value::array(vec![key, value]))?;
        }
    }
    Ok(v.clone())
}

fn each_part(
    i: &mut Interp<'_>,
    v: &Value,
    a: &mut Args,
    part: fn((Value, Value)) -> Value,
) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    for pair in hash(v).pairs() {
        i.yield_one(&block, part(pair))?;
    }
    Ok(v.clone())
}

fn kept(i: &mut Interp<'_>, v: &Value, a: &mut Args, keeps: bool) -> Eval<Vec<(Value, Value)>> {
    let Some(block) = a.block.take() else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for (key, value) in hash(v).pairs() {
        if i.call_block(&block, &[key.clone(), value.clone()])?.truthy() == keeps {
            out.push((key, value));
        }
    }
    Ok(out)
}

fn filter(i: &mut Interp<'_>, v: &Value, a: &mut Args, keeps: bool) -> Eval {
    let pairs = kept(i, v, a, keeps)?;
    made(i, pairs)
}

fn filter_here(i: &mut Interp<'_>, v: &Value, a: &mut Args, keeps: bool, tells: bool) -> Eval {
    let target = changeable(i, v)?;
    let pairs = kept(i, v, a, keeps)?;
    i.charge_items(pairs.len() * 3)?;
    let is_same = pairs.len() == target.len();
    let new = pairs.into_iter().map(|(key, value)| (Key::new(key), value)).collect();
    let old = target.entries.replace(new);
    drop(old);
    Ok(if tells && is_same { Value::Nil } else { v.clone() })
}

fn merge(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let target = changeable(i, v)?;
    let block = a.block.take();
    for other in std::mem::take(&mut a.list) {
        let Some(pairs) = other.as_entries() else { return i.no_conversion(&other, "Hash") };
        i.charge_items(pairs.len() * 3)?;
        for (key, value) in pairs {
            let value = match (&block, target.get(&key)) {
                (Some(block), Some(old)) => i.call_block(block, &[key.clone(), old, value])?,
                _ => value,
            };
            target.insert(key, value);
        }
    }
    Ok(v.clone())
}
