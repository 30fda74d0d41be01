//! Functions on lists and maps.

use std::cmp::Ordering;
use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use super::support::{eager, fail, items};
use crate::diagnostics::stop::{Eval, FailureKind, Issue, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::eval::operators::overlay;
use crate::value::{Item, Lambda, List, Map, Value};

/// A set of values with the language's equality, hashed by a key that equal values share.
#[derive(Default)]
struct ValueSet<'v>(FxHashMap<u64, Vec<&'v Value>>);

impl<'v> ValueSet<'v> {
    fn add(&mut self, call: &mut Call<'_, '_>, value: &'v Value) -> Eval<()> {
        call.ev.count_steps(value.weight().nodes)?;
        self.0.entry(call.ev.equality_key(value)).or_default().push(value);
        Ok(())
    }

    /// Whether a value equals one of them.
    fn has(&self, call: &mut Call<'_, '_>, value: &Value) -> Eval<bool> {
        let nodes = value.weight().nodes;
        call.ev.count_steps(nodes)?;
        let Some(alike) = self.0.get(&call.ev.equality_key(value)) else { return Ok(false) };
        for other in alike {
            call.ev.count_steps(nodes)?;
            if call.ev.same(value, other) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn list_of<'v>(value: &'v Value, message: &str) -> Eval<&'v [Item]> {
    items(value).ok_or_else(|| Stop::failed(message))
}

fn uniq(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("uniq takes exactly 1 argument") };
    let list = list_of(value, "invalid type for function uniq")?;
    let mut known = ValueSet::default();
    let mut out = Vec::new();
    for item in list {
        if !known.has(call, &item.value)? {
            known.add(call, &item.value)?;
            out.push(item.clone());
        }
    }
    Ok(Value::List(List::new(out, None)))
}

fn intersect(call: &mut Call<'_, '_>) -> Eval<Value> {
    let mut result: Option<Vec<Item>> = None;
    for (at, value) in call.args.iter().enumerate() {
        let list = match value {
            Value::Null => continue,
            Value::List(list) => &list.items,
            other => {
                return fail(format!(
                    "intersect: argument {at}: type '{}' cannot be intersected",
                    other.kind()
                ));
            }
        };
        result = Some(match result {
            None => list.clone(),
            Some(before) => {
                let mut known = ValueSet::default();
                for item in list {
                    known.add(call, &item.value)?;
                }
                let mut kept = Vec::new();
                for item in before {
                    if known.has(call, &item.value)? {
                        kept.push(item);
                    }
                }
                kept
            }
        });
    }
    Ok(Value::List(List::new(result.unwrap_or_default(), None)))
}

fn compact(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("compact takes exactly 1 argument") };
    let list = list_of(value, "invalid type for function compact")?;
    let kept = list.iter().filter(|i| match &i.value {
        Value::Null => false,
        Value::Str(_) | Value::List(_) | Value::Map(_) => i.value.truth(),
        _ => true,
    });
    Ok(Value::List(List::new(kept.cloned().collect(), None)))
}

fn reverse(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("reverse takes one list argument") };
    let list = list_of(value, "argument for reverse must be a list")?;
    Ok(Value::List(List::new(list.iter().rev().cloned().collect(), None)))
}

fn sort(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (value, lambda) = match call.args {
        [value] => (value, None),
        [value, lambda] => (value, Some(lambda)),
        _ => return fail("sort takes one or two arguments"),
    };
    let mut list = list_of(value, "argument for sort must be a list")?.to_vec();
    match lambda {
        None => {
            let texts = list.iter().all(|i| matches!(i.value, Value::Str(_)));
            let numbers = list.iter().all(|i| matches!(i.value, Value::Int(_)));
            if !texts && !numbers && list.len() > 1 {
                return unsorted("list elements must either be strings or integers");
            }
            list.sort_by(|a, b| match (&a.value, &b.value) {
                (Value::Str(a), Value::Str(b)) => a.as_bytes().cmp(b.as_bytes()),
                (Value::Int(a), Value::Int(b)) => a.cmp(b),
                _ => Ordering::Equal,
            });
        }
        Some(Value::Lambda(lambda)) => list = merge_sort(call, list, lambda)?,
        Some(_) => return fail("second argument for sort must be a lambda function"),
    }
    Ok(Value::List(List::new(list, None)))
}

const SORT_FAILED: &str = "sort failed";

/// A list cannot be sorted, for a reason.
fn unsorted<T>(reason: &str) -> Eval<T> {
    Err(Stop::within(
        FailureKind::Expression,
        SORT_FAILED,
        Rc::new(Issue { text: reason.into(), ..Issue::default() }),
    ))
}

/// Stable, and safe with a lambda that is no consistent order.
fn merge_sort(call: &mut Call<'_, '_>, list: Vec<Item>, less: &Rc<Lambda>) -> Eval<Vec<Item>> {
    let mut list = list;
    let mut width = 1;
    while width < list.len() {
        let mut next = Vec::with_capacity(list.len());
        for pair in list.chunks(width * 2) {
            let (mut a, mut b) = pair.split_at(width.min(pair.len()));
            while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
                if is_less(call, less, y, x)? {
                    next.push(y.clone());
                    b = rest_b;
                } else {
                    next.push(x.clone());
                    a = rest_a;
                }
            }
            next.extend_from_slice(a);
            next.extend_from_slice(b);
        }
        list = next;
        width *= 2;
    }
    Ok(list)
}

fn is_less(call: &mut Call<'_, '_>, less: &Rc<Lambda>, a: &Item, b: &Item) -> Eval<bool> {
    let args = vec![(None, a.value.clone().into()), (None, b.value.clone().into())];
    let env = call.env;
    let result = call.ev.aside(call.info, |ev, info| ev.apply(less, args, env, info));
    let result = result.map_err(|stop| match stop {
        Stop::Failed(issue) if issue.kind != FailureKind::Limit => {
            Stop::within(FailureKind::Expression, SORT_FAILED, issue)
        }
        stop => stop,
    });
    match result? {
        Value::Bool(b) => Ok(b),
        Value::Int(n) => Ok(n < 0),
        _ => unsorted("lambda must return a bool or integer"),
    }
}

fn element(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value, index] = call.args else { return fail("element takes exactly two arguments") };
    if matches!(value, Value::Null) || matches!(index, Value::Null) {
        return fail("function element does not take nil arguments");
    }
    match value {
        Value::List(list) => {
            let index = match index {
                Value::Int(n) => *n,
                Value::Str(s) => s.parse().or_else(|_| {
                    fail(format!("invalid value '{s}' of index argument for function element"))
                })?,
                _ => return fail("invalid type of index argument for function element"),
            };
            let Ok(index) = usize::try_from(index) else { return fail("index lower than 0") };
            match list.items.get(index) {
                Some(item) => Ok(item.value.clone()),
                None => fail("index greater or equal list size"),
            }
        }
        Value::Map(map) => match index {
            Value::Str(key) => match map.get(key) {
                Some(item) => Ok(item.value.clone()),
                None => fail(format!("map key '{key}' not found")),
            },
            other => {
                let text = other.simple_text().unwrap_or_default();
                fail(format!("map key ({text}) must be of type string"))
            }
        },
        _ => fail("invalid type for first argument of function element"),
    }
}

fn keys(call: &mut Call<'_, '_>) -> Eval<Value> {
    match call.args {
        [Value::Map(map)] => {
            Ok(Value::list(map.entries().iter().map(|(k, _)| Value::Str(k.clone()))))
        }
        [_] => fail("map argument required for keys"),
        _ => fail("one argument required for keys"),
    }
}

fn makemap(call: &mut Call<'_, '_>) -> Eval<Value> {
    let mut entries: Vec<(EcoString, Item)> = Vec::new();
    if let [value] = call.args {
        let message = "single argument flavor of mapentry requires a list";
        for (at, item) in list_of(value, message)?.iter().enumerate() {
            let Value::Map(map) = &item.value else {
                return fail(format!("entry {at} is no map entry"));
            };
            let Some(key) = map.get("key") else {
                return fail(format!("entry {at} has no entry 'key'"));
            };
            let Some(key) = key.value.simple_text() else {
                return fail(format!("invalid type for 'key' value of entry {at}"));
            };
            let Some(value) = map.get("value") else {
                return fail(format!("entry {at} has no entry 'value'"));
            };
            entries.push((key, value.clone()));
        }
        return Ok(Value::Map(Map::new(entries)));
    }
    if !call.args.len().is_multiple_of(2) {
        return fail("mapentry takes one or two arguments");
    }
    for (at, pair) in call.args.chunks(2).enumerate() {
        let [key, value] = pair else { continue };
        let Some(key) = key.simple_text() else {
            return fail(format!("invalid type for key value of arument pair {at}"));
        };
        entries.push((key, value.clone().into()));
    }
    Ok(Value::Map(Map::new(entries)))
}

fn list_to_map(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (value, key) = match call.args {
        [value] => (value, None),
        [value, key] => (value, Some(key)),
        _ => return fail("list_to_map takes 1 or 2 arguments"),
    };
    let Value::List(list) = value else {
        return fail("list_to_map requires a list as first argument");
    };
    let key = match key {
        None => list.key.clone().unwrap_or_else(|| "name".into()),
        Some(Value::Str(key)) => key.clone(),
        Some(_) => return fail("second argument of list_to_map must be a key name"),
    };
    let mut entries = Vec::with_capacity(list.items.len());
    for item in &list.items {
        let Value::Map(map) = &item.value else { return fail("list entries must by maps") };
        let Some(name) = map.get(&key) else {
            return fail(format!("key field '{key}' not found"));
        };
        let Value::Str(name) = &name.value else {
            return fail(format!("key field '{key}' contains no string value"));
        };
        let rest = map.entries().iter().filter(|e| e.0 != key).cloned().collect();
        let flags = item.flags;
        entries.push((name.clone(), Item { value: Value::Map(Map::new(rest)), flags }));
    }
    Ok(Value::Map(Map::new(entries)))
}

/// Maps as separate arguments, or in one list.
pub(super) fn maps_of(args: &[Value]) -> Option<Vec<&Value>> {
    if let [Value::List(list)] = args {
        return (!list.items.is_empty()).then(|| list.items.iter().map(|i| &i.value).collect());
    }
    (!args.is_empty()).then(|| args.iter().collect())
}

fn deepmerge(call: &mut Call<'_, '_>) -> Eval<Value> {
    let Some(values) = maps_of(call.args) else {
        return fail("deepmerge: no map found for merge");
    };
    let listed = matches!(call.args, [Value::List(_)]);
    let mut result = Map::new(Vec::new());
    for (at, value) in values.into_iter().enumerate() {
        let Value::Map(map) = value else {
            let place = if listed { "entry of list argument:" } else { "argument" };
            return fail(format!(
                "deepmerge: {place} {}: no map or map template, but {}",
                at + 1,
                value.kind()
            ));
        };
        call.ev.count_steps(result.weight.nodes.saturating_add(map.weight.nodes))?;
        result = deep(&result, map);
    }
    Ok(Value::Map(result))
}

fn deep(a: &Map, b: &Map) -> Rc<Map> {
    let entries = b.entries().iter().map(|(key, item)| {
        let value = match (a.get(key).map(|i| &i.value), &item.value) {
            (Some(Value::Map(x)), Value::Map(y)) => Value::Map(deep(x, y)),
            _ => item.value.clone(),
        };
        (key.clone(), Item { value, flags: item.flags })
    });
    overlay(a, &Map::new(entries.collect()))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("uniq(list)", "The entries of a list, each once.", uniq),
        eager("intersect(list, list...)", "The entries that all lists have.", intersect),
        eager("compact(list)", "A list without its empty entries.", compact),
        eager("reverse(list)", "A list from its end to its beginning.", reverse),
        eager("sort(list, less?)", "A sorted list; a lambda `less` may compare two entries.", sort),
        eager("element(container, key)", "The entry of a list or map at an index or key.", element),
        eager("keys(map)", "The keys of a map, sorted.", keys),
        eager(
            "makemap(entries...)",
            "A map of keys and values in turn, or of a list of maps with `key` and `value`.",
            makemap,
        ),
        eager(
            "list_to_map(list, key?)",
            "A map of the entries of a list, by their key field.",
            list_to_map,
        ),
        eager("deepmerge(map...)", "Maps merged at every level; the last one wins.", deepmerge),
    ]);
}
