//! Paths into finished values, such as `a.b.[1]`.

use crate::syntax::ast::PathStep;
use crate::value::{Item, Value};

/// The value at a path in a finished value.
pub(crate) fn find_path<'v>(item: &'v Item, path: &[PathStep]) -> Option<&'v Item> {
    path.iter().try_fold(item, |at, step| find_step(at, step))
}

/// The value one step down in a finished value.
pub(crate) fn find_step<'v>(item: &'v Item, step: &PathStep) -> Option<&'v Item> {
    match (&item.value, step) {
        (Value::Map(map), PathStep::Key(key)) => map.get(key),
        (Value::List(list), PathStep::Index(n)) => list.at(*n),
        (Value::List(list), PathStep::Key(key)) => {
            let named = match key.split_once(':') {
                Some((field, text)) => list.find(Some(field), text),
                None => list.find(None, key),
            };
            named.or_else(|| list.at(key.parse().ok()?))
        }
        _ => None,
    }
}

/// The value at a path such as `a.b.[1]`.
pub fn find(value: &Value, path: &str) -> Option<Value> {
    let item = Item::from(value.clone());
    find_path(&item, &steps(path)).map(|i| i.value.clone())
}

/// The steps of a path such as `a.b.[1]`.
pub(crate) fn steps(path: &str) -> Vec<PathStep> {
    let index = |step: &str| step.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let steps = path.split('.').filter(|s| !s.is_empty());
    steps
        .map(|step| index(step).map_or_else(|| PathStep::Key(step.into()), PathStep::Index))
        .collect()
}
