//! The walk of `tree_each`.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{EvalResult, plain};
use crate::functions::call::Call;
use crate::functions::iterate::limit;
use crate::functions::support::{is_instance, text_of_type};
use crate::types::object::parts::parts;
use crate::types::{AttributeRole, Type};
use crate::value::{IteratorValue, Value};

/// The options of a walk.
struct Options {
    container: Option<Arc<Type>>,
    root: bool,
    containers: bool,
    values: bool,
    depth_first: bool,
    refs: bool,
}

impl Options {
    fn of(value: &Value) -> EvalResult<Self> {
        let flag = |name: &str| value.get(name).is_none_or(|v| v.is_undef() || v.is_true());
        let container = match value.get("container_type") {
            Some(Value::Type(kind)) => {
                if !is_container_type(kind) {
                    return plain(format!(
                        "Only Array, Hash, and Object types can be used as container types. Got {}",
                        text_of_type(kind)
                    ));
                }
                Some(Arc::clone(kind))
            }
            _ => None,
        };
        let options = Self {
            container,
            root: flag("include_root") && flag("include_containers"),
            containers: flag("include_containers"),
            values: flag("include_values"),
            depth_first: value.get("order").and_then(Value::as_str) != Some("breadth_first"),
            refs: value.get("include_refs").is_some_and(Value::is_true),
        };
        if !options.containers && !options.values {
            return plain("Options 'include_containers' and 'include_values' cannot both be false");
        }
        Ok(options)
    }

    fn is_container(&self, value: &Value) -> bool {
        match &self.container {
            Some(kind) => is_instance(kind, value),
            None => matches!(
                value,
                Value::Array(_) | Value::Hash(_) | Value::Object(_) | Value::Type(_)
            ),
        }
    }

    fn children(&self, value: &Value) -> Vec<(Value, Value)> {
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(i, v)| (Value::Int(i as i64), v.clone())).collect()
            }
            Value::Hash(hash) => hash.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            Value::Object(object) => {
                let is_ref = |name: &str| {
                    let mut attributes = object.kind.attributes.iter();
                    attributes.any(|a| a.name == name && a.role == AttributeRole::Reference)
                };
                let values = object.values.iter().filter(|(name, _)| self.refs || !is_ref(name));
                values.map(|(name, v)| (Value::Str(name.clone()), v.clone())).collect()
            }
            Value::Type(kind) => {
                let parts = parts(kind).into_iter();
                parts.map(|(name, value)| (Value::str(name), value)).collect()
            }
            Value::Iterator(iterator) => {
                let items = iterator.items.iter().enumerate();
                items.map(|(i, v)| (Value::Int(i as i64), v.clone())).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn is_container_type(kind: &Type) -> bool {
    match kind {
        Type::Array(..) | Type::Tuple(..) | Type::Hash(..) | Type::Struct(_) | Type::Object(_) => {
            true
        }
        Type::Variant(kinds) => kinds.iter().all(is_container_type),
        Type::Alias(alias) => alias.target.get().is_some_and(is_container_type),
        _ => false,
    }
}

/// All nodes with their paths. Nodes to visit are kept on the heap, so that deep trees need no deep
/// stack.
fn walk(tree: &Value, options: &Options) -> EvalResult<Vec<(Value, Value)>> {
    let mut nodes = Vec::new();
    if options.root {
        nodes.push((Value::array([]), tree.clone()));
    }
    let mut open: VecDeque<(Vec<Value>, Value, bool)> = VecDeque::new();
    open.push_back((Vec::new(), tree.clone(), true));
    while let Some((path, value, is_root)) = open.pop_front() {
        let is_container = is_root || options.is_container(&value);
        if options.depth_first && !is_root && shown(options, is_container) {
            limit(nodes.len() as u64)?;
            nodes.push((Value::array(path.clone()), value.clone()));
        }
        if !is_container {
            continue;
        }
        let children = options.children(&value).into_iter().map(|(key, child)| {
            let mut path = path.clone();
            path.push(key);
            (path, child, false)
        });
        if options.depth_first {
            let children: Vec<_> = children.collect();
            children.into_iter().rev().for_each(|child| open.push_front(child));
            continue;
        }
        for (path, child, _) in children {
            let is_container = options.is_container(&child);
            // Upstream's breadth-first walk includes plain values in spite of the options.
            if options.containers || !is_container {
                limit(nodes.len() as u64)?;
                nodes.push((Value::array(path.clone()), child.clone()));
            }
            if is_container {
                open.push_back((path, child, false));
            }
        }
    }
    Ok(nodes)
}

fn shown(options: &Options, is_container: bool) -> bool {
    if is_container { options.containers } else { options.values }
}

/// Calls the lambda with the path and the value of every node.
pub fn each(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let options = Options::of(call.arg(1))?;
    for (path, value) in walk(call.arg(0), &options)? {
        let goes_on = match two {
            true => call.iterate(&[path, value])?,
            false => call.iterate(&[value])?,
        };
        if goes_on.is_none() {
            break;
        }
    }
    Ok(call.take(0))
}

/// The nodes as an iterator of pairs of path and value.
pub fn iterator(call: &mut Call<'_, '_>) -> EvalResult {
    let options = Options::of(call.arg(1))?;
    let nodes = walk(call.arg(0), &options)?;
    let items: Vec<Value> =
        nodes.into_iter().map(|(path, value)| Value::array([path, value])).collect();
    let stated_len = items.len();
    let walk = if !options.depth_first { "BreadthFirst" } else { "DepthFirst" };
    let class = ecow::eco_format!("Puppet::Pops::Types::Iterable::{walk}TreeIterator");
    let element = Arc::new(Type::Runtime(Some(Arc::new(("ruby".into(), class)))));
    Ok(Value::Iterator(Arc::new(IteratorValue { items, element, stated_len })))
}
