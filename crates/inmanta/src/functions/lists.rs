//! Functions for lists and dicts.

use std::cmp::Ordering;

use ecow::EcoString;
use ordain_source::limits::most_items;

use super::entry::{Entry, Outcome, integer, items, plain, string};
use super::python::class_name;
use super::python::python_repr;
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::{Dict, Value, compare_numbers};

pub(super) const TABLE: &[Entry] = &[
    plain("count", "item_list: &any[]", "int", count),
    plain("len", "item_list: &any[]", "int", len),
    plain("sequence", "i: int, start: int = 0", "list", sequence),
    plain("at", "objects: &any[], index: int", "&any", at),
    plain("item", "objects: list, index: int", "list", item),
    plain("flatten", "item_list: list", "list", flatten),
    plain("unique", "item_list: list", "bool", unique),
    plain("key_sort", "items: list, key: any", "list", key_sort),
    plain("select", "objects: list, attr: string", "list", select)
        .deprecated("using a list comprehension"),
    plain("filter", "values: list, not_item: std::Entity", "list", filter)
        .deprecated("using a list comprehension"),
    plain("dict_keys", "dct: dict", "string[]", dict_keys),
    plain("dict_get", "dct: dict, key: string", "string", dict_get)
        .deprecated("using the `<dict>[<key>]` construct"),
    plain("contains", "dct: dict, key: string", "bool", contains)
        .deprecated("the `<key> in <dict>` construct"),
];

fn dict(arguments: &Arguments, index: usize) -> Option<&Dict> {
    match arguments.get(index) {
        Value::Dict(entries) => Some(entries),
        _ => None,
    }
}

fn count(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Int(items(arguments, 0).len() as i64))
}

fn len(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let items = items(arguments, 0);
    match items.iter().find(|item| item.is_unknown()) {
        Some(Value::Unknown(unknown)) => Ok(Value::unknown(unknown.source.clone())),
        _ => Ok(Value::Int(items.len() as i64)),
    }
}

fn sequence(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let (length, start) = (integer(arguments, 0), integer(arguments, 1));
    if length > most_items() as i64 {
        return Err(Stop::raised(Exception::MemoryError, ""));
    }
    let end = start.saturating_add(length);
    Ok(Value::list((start..end).map(Value::Int)))
}

/// The position of a Python index; negative ones count from the end.
pub(super) fn position(index: i64, length: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < length)
}

fn pick(items: &[Value], index: i64) -> Outcome {
    position(index, items.len())
        .and_then(|index| items.get(index))
        .cloned()
        .ok_or_else(|| Stop::raised(Exception::IndexError, "list index out of range"))
}

fn at(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    pick(items(arguments, 0), integer(arguments, 1))
}

fn item(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let index = integer(arguments, 1);
    let picked: Result<Vec<_>, _> = items(arguments, 0)
        .iter()
        .map(|sublist| match sublist {
            Value::List(items) => pick(items, index),
            Value::Str(text) => match position(index, text.chars().count()) {
                Some(index) => Ok(Value::str(text.chars().skip(index).take(1).collect::<String>())),
                None => Err(Stop::raised(Exception::IndexError, "string index out of range")),
            },
            Value::Dict(_) => Err(Stop::raised(Exception::KeyError, index.to_string())),
            other => Err(Stop::raised(
                Exception::TypeError,
                format!("'{}' object is not subscriptable", class_name(other)),
            )),
        })
        .collect();
    Ok(Value::list(picked?))
}

fn flatten(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let mut out = Vec::new();
    for item in items(arguments, 0) {
        match item {
            Value::List(items) => out.extend(items.iter().cloned()),
            Value::Dict(entries) => out.extend(entries.keys().cloned().map(Value::Str)),
            Value::Str(text) => {
                out.extend(text.chars().map(|c| Value::str(EcoString::from(c))));
            }
            other => {
                let text = format!("'{}' object is not iterable", class_name(other));
                return Err(Stop::raised(Exception::TypeError, text));
            }
        }
    }
    Ok(Value::list(out))
}

fn unique(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    use std::hash::{Hash, Hasher};
    let mut buckets: rustc_hash::FxHashMap<u64, Vec<&Value>> = Default::default();
    for item in items(arguments, 0) {
        let mut hasher = rustc_hash::FxHasher::default();
        match item {
            Value::Str(text) => text.hash(&mut hasher),
            Value::Instance(instance) => instance.hash(&mut hasher),
            Value::Int(number) => (*number as f64).to_bits().hash(&mut hasher),
            Value::Bool(truth) => f64::from(u8::from(*truth)).to_bits().hash(&mut hasher),
            Value::Float(number) => (number + 0.0).to_bits().hash(&mut hasher),
            _ => {}
        }
        let bucket = buckets.entry(hasher.finish()).or_default();
        if bucket.contains(&item) {
            return Ok(Value::Bool(false));
        }
        bucket.push(item);
    }
    Ok(Value::Bool(true))
}

/// Python's `getattr` on an item.
fn attribute(context: &mut dyn Context, item: &Value, name: &str) -> Outcome {
    match item {
        Value::Instance(instance) => super::objects::get(context, *instance, name),
        other => {
            let text = format!("'{}' object has no attribute '{name}'", class_name(other));
            Err(Stop::raised(Exception::AttributeError, text))
        }
    }
}

fn key_sort(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let Some(path) = arguments.get(1).as_str() else {
        return Err(Stop::raised(Exception::TypeError, "attribute name must be a string"));
    };
    let mut keyed = Vec::new();
    for item in items(arguments, 0) {
        let mut key = item.clone();
        for name in path.split('.') {
            key = attribute(context, &key, name)?;
        }
        keyed.push((key, item.clone()));
    }
    let mut wrong = None;
    keyed.sort_by(|(a, _), (b, _)| {
        compare(a, b).unwrap_or_else(|| {
            // Python checks whether the later item is less, so the message names it first.
            wrong.get_or_insert_with(|| (class_name(b).to_owned(), class_name(a).to_owned()));
            Ordering::Equal
        })
    });
    if let Some((left, right)) = wrong {
        let text = format!("'<' not supported between instances of '{left}' and '{right}'");
        return Err(Stop::raised(Exception::TypeError, text));
    }
    Ok(Value::list(keyed.into_iter().map(|(_, item)| item)))
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (a, b) if a.is_number() && b.is_number() => {
            Some(compare_numbers(a, b).unwrap_or(Ordering::Equal))
        }
        _ => None,
    }
}

fn select(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let name = string(arguments, 1);
    let found: Result<Vec<_>, _> =
        items(arguments, 0).iter().map(|item| attribute(context, item, name)).collect();
    Ok(Value::list(found?))
}

fn filter(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let unwanted = arguments.get(1);
    Ok(Value::list(items(arguments, 0).iter().filter(|item| *item != unwanted).cloned()))
}

fn dict_keys(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::list(dict(arguments, 0).into_iter().flat_map(|d| d.keys().cloned().map(Value::Str))))
}

fn dict_get(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    match dict(arguments, 0).and_then(|entries| entries.get(string(arguments, 1))) {
        Some(value) => Ok(value.clone()),
        None => Err(Stop::raised(Exception::KeyError, python_repr(arguments.get(1), context))),
    }
}

fn contains(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let found = dict(arguments, 0).is_some_and(|d| d.contains_key(string(arguments, 1)));
    Ok(Value::Bool(found))
}
