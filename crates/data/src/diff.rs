//! Compares plain data by structure.
//!
//! Maps are compared by key, lists by the names of their entries, and entries without names by
//! position. So moving a named entry makes no difference. Documents and graphs are both compared
//! this way.

use std::borrow::Cow;
use std::collections::VecDeque;

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;

use crate::value::Value;

/// A place where two values differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The path: keys, names of list entries, or `[n]`.
    pub path: Vec<EcoString>,
    /// The value of the first, if there is one.
    pub left: Option<Value>,
    /// The value of the second, if there is one.
    pub right: Option<Value>,
}

/// The rules of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// The key that holds the name of a list's maps; without one, lists are compared by position.
    pub name: Option<&'a str>,
    /// Lists of the outermost map in which the order of named entries matters.
    pub ordered: &'a [&'a str],
    /// Whether a map on the left is compared with a list of named maps on the right.
    pub maps_with_lists: bool,
}

/// The differences of two values, maps in the order of their keys.
pub fn compare(left: &Value, right: &Value, rules: &Rules<'_>) -> Vec<Difference> {
    let mut comparer = Comparer { rules: *rules, path: Vec::new(), found: Vec::new() };
    comparer.values(left, right);
    comparer.found
}

/// The entries of a map or of a list of named maps, sorted by key.
type Entries<'v> = Vec<(Cow<'v, str>, Cow<'v, Value>)>;

struct Comparer<'r> {
    rules: Rules<'r>,
    path: Vec<EcoString>,
    found: Vec<Difference>,
}

impl Comparer<'_> {
    fn differ(&mut self, left: Option<&Value>, right: Option<&Value>) {
        let (left, right) = (left.cloned(), right.cloned());
        self.found.push(Difference { path: self.path.clone(), left, right });
    }

    fn below(&mut self, step: EcoString, left: Option<&Value>, right: Option<&Value>) {
        self.path.push(step);
        match (left, right) {
            (Some(left), Some(right)) => self.values(left, right),
            (left, right) => self.differ(left, right),
        }
        self.path.pop();
    }

    fn values(&mut self, left: &Value, right: &Value) {
        match (left, right) {
            (Value::Map(_), Value::Map(_)) => self.maps(&entries(left), &entries(right)),
            (Value::Map(_), Value::List(items)) if self.rules.maps_with_lists => {
                match self.by_name(items) {
                    Some(right) => self.maps(&entries(left), &right),
                    None => self.differ(Some(left), Some(right)),
                }
            }
            (Value::List(a), Value::List(b)) => {
                let counts =
                    matches!(&self.path[..], [one] if self.rules.ordered.contains(&one.as_str()));
                let both = if counts { self.in_order(a).zip(self.in_order(b)) } else { None };
                match both {
                    Some((a, b)) => self.maps(&a, &b),
                    None => self.lists(a, b),
                }
            }
            _ if left == right || both_zero_or_nan(left, right) => {}
            _ => self.differ(Some(left), Some(right)),
        }
    }

    fn maps(&mut self, left: &Entries<'_>, right: &Entries<'_>) {
        let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
        loop {
            let (mut old, mut new) = (a.peek().copied(), b.peek().copied());
            if let (Some(x), Some(y)) = (old, new) {
                old = old.filter(|_| x.0 <= y.0);
                new = new.filter(|_| y.0 <= x.0);
            }
            let Some((key, _)) = old.or(new) else { return };
            if old.is_some() {
                a.next();
            }
            if new.is_some() {
                b.next();
            }
            self.below(key.as_ref().into(), old.map(|e| e.1.as_ref()), new.map(|e| e.1.as_ref()));
        }
    }

    /// Pairs entries with the same name wherever they are, and the others by position.
    fn lists(&mut self, left: &[Value], right: &[Value]) {
        let mut named: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        for (at, item) in right.iter().enumerate() {
            if let Some(name) = name(item, self.rules.name) {
                named.entry(name).or_default().push_back(at);
            }
        }
        let mut taken = vec![false; right.len()];
        let mut pairs = Vec::with_capacity(left.len());
        for item in left {
            let name = name(item, self.rules.name);
            let at = name.and_then(|n| named.get_mut(n)?.pop_front());
            if let Some(at) = at {
                taken[at] = true;
            }
            pairs.push(name.zip(at));
        }
        for (at, (item, pair)) in left.iter().zip(pairs).enumerate() {
            if let Some((name, other)) = pair {
                self.below(name.into(), Some(item), right.get(other));
                continue;
            }
            let free = right.get(at).filter(|_| !taken[at]);
            if free.is_some() {
                taken[at] = true;
            }
            self.below(eco_format!("[{at}]"), Some(item), free);
        }
        for (at, item) in right.iter().enumerate().filter(|(at, _)| !taken[*at]) {
            self.below(eco_format!("[{at}]"), None, Some(item));
        }
    }

    /// A list of named maps as a map from the names to the rest.
    fn by_name<'v>(&self, list: &'v [Value]) -> Option<Entries<'v>> {
        let key = self.rules.name?;
        let all = list.iter().map(|item| {
            let fields = item.as_map()?.iter().filter(|(k, _)| k.as_str() != Some(key));
            let fields = fields.map(|(k, v)| (k.clone(), v.clone()));
            let rest = Value::Map(std::sync::Arc::new(fields.collect()));
            Some((Cow::Borrowed(name(item, self.rules.name)?), Cow::Owned(rest)))
        });
        Some(sorted(all.collect::<Option<_>>()?))
    }

    /// A list of named maps as a map, with their positions, because their order matters.
    fn in_order<'v>(&self, list: &'v [Value]) -> Option<Entries<'v>> {
        let all = (0..).zip(list).map(|(at, item)| {
            let mut fields = item.as_map()?.clone();
            fields.insert(Value::str("index"), Value::Int(at));
            let placed = Value::Map(std::sync::Arc::new(fields));
            Some((Cow::Borrowed(name(item, self.rules.name)?), Cow::Owned(placed)))
        });
        Some(sorted(all.collect::<Option<_>>()?))
    }
}

/// The entries of a map with the texts of their keys.
fn entries(value: &Value) -> Entries<'_> {
    let all = value.as_map().into_iter().flatten().map(|(key, value)| {
        let key = match key.as_str() {
            Some(key) => Cow::Borrowed(key),
            None => Cow::Owned(format!("{key:?}")),
        };
        (key, Cow::Borrowed(value))
    });
    sorted(all.collect())
}

/// Sorted by key; the last one of equal keys wins.
fn sorted(mut entries: Entries<'_>) -> Entries<'_> {
    if !entries.is_sorted_by(|a, b| a.0 < b.0) {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.reverse();
        entries.dedup_by(|a, b| a.0 == b.0);
        entries.reverse();
    }
    entries
}

/// Floats that are equal as numbers, but not in their bits.
fn both_zero_or_nan(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => false,
    }
}

fn name<'v>(value: &'v Value, key: Option<&str>) -> Option<&'v str> {
    value.get(key?)?.as_str()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const NAMED: Rules<'_> =
        Rules { name: Some("name"), ordered: &["jobs"], maps_with_lists: true };

    /// The paths that differ, with both values: `path: left -> right`.
    fn differences(left: &str, right: &str) -> Vec<String> {
        let read = |text: &str| crate::json::read(text).unwrap();
        let shown = |v: Option<Value>| v.map_or_else(|| "-".into(), |v| crate::json::compact(&v));
        let found = compare(&read(left), &read(right), &NAMED).into_iter();
        found
            .map(|d| format!("{}: {} -> {}", d.path.join("."), shown(d.left), shown(d.right)))
            .collect()
    }

    #[test]
    fn scalars_differ_by_kind_too() {
        let found = differences(
            r#"{"a": 1, "b": 1, "c": "x", "d": null, "e": 0.0}"#,
            r#"{"a": "1", "b": 1.5, "c": "x", "d": null, "e": -0.0}"#,
        );
        assert_eq!(found, [r#"a: 1 -> "1""#, "b: 1 -> 1.5"]);
    }

    #[test]
    fn keys_come_in_order() {
        let found = differences(r#"{"b": 1, "a": 1, "d": 1}"#, r#"{"d": 2, "c": 2, "b": 2}"#);
        assert_eq!(found, ["a: 1 -> -", "b: 1 -> 2", "c: - -> 2", "d: 1 -> 2"]);
    }

    #[test]
    fn entries_that_only_moved_are_equal() {
        let left = r#"{"l": [{"name": "a", "v": 1}, {"name": "b", "v": 2}]}"#;
        let moved = r#"{"l": [{"name": "b", "v": 2}, {"name": "a", "v": 1}]}"#;
        assert_eq!(differences(left, moved), [""; 0]);
        let more =
            r#"{"l": [{"name": "c", "v": 3}, {"name": "a", "v": 1}, {"name": "b", "v": 9}]}"#;
        let found = differences(left, more);
        assert_eq!(found, ["l.b.v: 2 -> 9", r#"l.[0]: - -> {"name":"c","v":3}"#]);
    }

    #[test]
    fn entries_without_name_are_compared_by_position() {
        let found = differences(r#"{"l": [1, 2, 3]}"#, r#"{"l": [1, 4]}"#);
        assert_eq!(found, ["l.[1]: 2 -> 4", "l.[2]: 3 -> -"]);
    }

    #[test]
    fn a_map_is_compared_with_a_list_of_named_maps() {
        let (map, list) = (r#"{"m": {"a": {"v": 1}}}"#, r#"{"m": [{"name": "a", "v": 1}]}"#);
        assert_eq!(differences(map, list), [""; 0]);
        assert_eq!(differences(list, map).len(), 1);
    }

    #[test]
    fn order_counts_where_it_is_said_to() {
        let found = differences(
            r#"{"jobs": [{"name": "a"}, {"name": "b"}]}"#,
            r#"{"jobs": [{"name": "b"}, {"name": "a"}]}"#,
        );
        assert_eq!(found, ["jobs.a.index: 0 -> 1", "jobs.b.index: 1 -> 0"]);
        assert_eq!(differences(r#"{"jobs": [1]}"#, r#"{"jobs": [1]}"#), [""; 0]);
    }
}
