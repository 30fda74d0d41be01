//! Conversions to lists and hashes.

use std::sync::Arc;

use super::host::Host;
use crate::error::{EvalResult, plain};
use crate::types::aliases::resolved;
use crate::types::{Type, generalize, infer};
use crate::value::{HashValue, Value};

/// The maximal length of a list that is made from a number.
const COUNT_LIMIT: i64 = 10_000_000;

/// The items of something that can be iterated over.
fn items(value: &Value) -> EvalResult<Option<Vec<Value>>> {
    let numbers = |from: i64, to: i64| {
        if to.saturating_sub(from) >= COUNT_LIMIT {
            return plain("the list would be too long");
        }
        Ok(Some((from..=to).map(Value::Int).collect()))
    };
    Ok(match value {
        Value::Array(items) => Some(items.to_vec()),
        Value::Hash(entries) => {
            Some(entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect())
        }
        Value::Str(text) => {
            let mut buffer = [0; 4];
            Some(text.chars().map(|c| Value::str(&*c.encode_utf8(&mut buffer))).collect())
        }
        Value::Int(count) if *count >= 0 => return numbers(0, count - 1),
        Value::Binary(bytes) => Some(bytes.iter().map(|b| Value::Int(i64::from(*b))).collect()),
        Value::Iterator(iterator) => Some(iterator.items.clone()),
        Value::Type(kind) => match resolved(kind) {
            Type::Integer(range) if range.first().is_some() && range.last().is_some() => {
                return numbers(range.from, range.to);
            }
            Type::Enum { values, .. } => {
                Some(values.iter().map(|v| Value::Str(v.clone())).collect())
            }
            _ => None,
        },
        _ => None,
    })
}

fn not_convertible<T>(value: &Value, kind: &str) -> EvalResult<T> {
    let of = generalize(&infer(value));
    plain(format!("Value of type {of} cannot be converted to {kind}"))
}

/// `Array.new`
pub(super) fn array(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let from = &args[0];
    match (chosen, from) {
        (_, Value::Array(_)) => Ok(from.clone()),
        (1, _) => Ok(Value::array([from.clone()])),
        _ => match items(from)? {
            Some(items) => Ok(Value::Array(Arc::new(items))),
            None => not_convertible(from, "Array"),
        },
    }
}

/// `Hash.new`
pub(super) fn hash(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let from = &args[0];
    if let (0, Some(option)) = (chosen, args.get(1).and_then(Value::as_str)) {
        let pairs = from.as_array().unwrap_or_default();
        return tree(pairs, option == "hash_tree");
    }
    if chosen < 2 {
        let pairs = from.as_array().unwrap_or_default().iter();
        let pairs = pairs.filter_map(|pair| match pair.as_array() {
            Some([key, value]) => Some((key.clone(), value.clone())),
            _ => None,
        });
        return Ok(Value::Hash(Arc::new(pairs.collect())));
    }
    if let Value::Hash(_) = from {
        return Ok(from.clone());
    }
    let flat = match from {
        Value::Binary(_) => None,
        from => items(from)?,
    };
    let Some(flat) = flat else { return not_convertible(from, "Hash") };
    let (pairs, rest) = flat.as_chunks::<2>();
    if !rest.is_empty() {
        return plain("odd number of arguments for Hash");
    }
    Ok(Value::Hash(Arc::new(pairs.iter().map(|[k, v]| (k.clone(), v.clone())).collect())))
}

/// A structure under construction, open to change.
enum Node {
    Leaf(Value),
    List(Vec<Node>),
    Hash(indexmap::IndexMap<Value, Node, rustc_hash::FxBuildHasher>),
}

impl Node {
    fn of(value: &Value, all_hashes: bool) -> Self {
        match value {
            Value::Array(items) if all_hashes => {
                let items = items.iter().enumerate();
                Self::Hash(items.map(|(i, v)| (Value::Int(i as i64), Self::of(v, true))).collect())
            }
            Value::Array(items) => Self::List(items.iter().map(|v| Self::of(v, false)).collect()),
            Value::Hash(entries) => {
                Self::Hash(entries.iter().map(|(k, v)| (k.clone(), Self::of(v, false))).collect())
            }
            other => Self::Leaf(other.clone()),
        }
    }

    fn finish(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::List(items) => Value::array(items.into_iter().map(Self::finish)),
            Self::Hash(entries) => {
                let entries = entries.into_iter().map(|(k, v)| (k, v.finish()));
                Value::Hash(Arc::new(entries.collect::<HashValue>()))
            }
        }
    }

    /// The part of a key, which is added if it is missing.
    fn part(&mut self, key: &Value) -> EvalResult<&mut Self> {
        match self {
            Self::Hash(entries) => {
                Ok(entries.entry(key.clone()).or_insert_with(|| Self::Hash(Default::default())))
            }
            Self::List(items) => {
                let index = key.as_int().and_then(|i| usize::try_from(i).ok());
                match index.and_then(|i| items.get_mut(i)) {
                    Some(item) => Ok(item),
                    None => plain("the path of a tree leads out of a list"),
                }
            }
            Self::Leaf(_) => plain("the path of a tree leads into a value"),
        }
    }
}

/// Builds a structure from pairs of a path and the value that belongs there.
fn tree(pairs: &[Value], all_hashes: bool) -> EvalResult {
    let mut root = Node::Hash(Default::default());
    for pair in pairs {
        let Some([Value::Array(path), value]) = pair.as_array() else { continue };
        match path.split_last() {
            None => merge_root(&mut root, value),
            Some((last, way)) => {
                let mut node = &mut root;
                for key in way {
                    node = node.part(key)?;
                }
                set(node, last, Node::of(value, all_hashes))?;
            }
        }
    }
    Ok(root.finish())
}

fn merge_root(root: &mut Node, value: &Value) {
    let Node::Hash(entries) = root else { return };
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            entries.extend(items.map(|(i, v)| (Value::Int(i as i64), Node::of(v, false))));
        }
        Value::Hash(more) => {
            entries.extend(more.iter().map(|(k, v)| (k.clone(), Node::of(v, false))));
        }
        _ => {}
    }
}

fn set(node: &mut Node, key: &Value, value: Node) -> EvalResult<()> {
    match node {
        Node::Hash(entries) => {
            entries.insert(key.clone(), value);
            Ok(())
        }
        Node::List(items) => {
            let index = key.as_int().and_then(|i| usize::try_from(i).ok());
            match index {
                Some(i) if i < items.len() => items[i] = value,
                Some(i) if i == items.len() => items.push(value),
                _ => return plain("the path of a tree leads out of a list"),
            }
            Ok(())
        }
        Node::Leaf(_) => plain("the path of a tree leads into a value"),
    }
}
