//! Merge strategies for the values of a key on several levels.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use ecow::EcoString;
use rustc_hash::FxHashSet;

use crate::types::mismatch::describe_mismatch;
use crate::types::{SizeRange, Type, infer_set, is_instance};
use crate::value::compare::order_mixed;
use crate::value::ruby::{ruby_class, ruby_text};
use crate::value::{HashValue, Value};

/// A merge strategy.
#[derive(Clone, PartialEq, Debug)]
pub enum Strategy {
    /// The first value found counts.
    First,
    /// Values and lists become one list without duplicates.
    Unique,
    /// Hashes are joined; the first value of a key wins.
    Hash,
    /// Hashes and lists are joined on all levels.
    Deep(Arc<DeepOptions>),
}

/// The options of [`Strategy::Deep`].
#[derive(Clone, PartialEq, Default, Debug)]
pub struct DeepOptions {
    /// The prefix of items that remove the item after it.
    pub knockout_prefix: Option<EcoString>,
    /// Whether hashes at the same place of two lists are merged.
    pub merge_hash_arrays: bool,
    /// Whether merged lists are sorted.
    pub sort_merged_arrays: bool,
    /// Whether the lower level wins.
    pub reverse: bool,
    /// The strategy's name.
    pub name: &'static str,
    /// The given options without the name, for explanations.
    pub given: HashValue,
}

impl Strategy {
    /// The strategy of a `merge` argument or option.
    ///
    /// # Errors
    /// The message, if it is not a strategy.
    pub fn of(merge: &Value) -> Result<Self, String> {
        match merge {
            Value::Undef | Value::Bool(false) => Ok(Self::First),
            Value::Str(name) => Self::named(name, &HashValue::default()),
            Value::Hash(options) => {
                let name = match merge.get("strategy") {
                    None | Some(Value::Undef) => {
                        return Err(
                            "The hash given as 'merge' must contain the name of a strategy \
                                    in string form for the key 'strategy'"
                                .to_owned(),
                        );
                    }
                    Some(Value::Str(name)) => name,
                    Some(other) => return Err(unknown(&ruby_text(other))),
                };
                Self::named(name, options)
            }
            other => Err(unknown(&ruby_text(other))),
        }
    }

    fn named(name: &str, options: &HashValue) -> Result<Self, String> {
        let (name, known): (&'static str, &[&str]) = match name {
            "first" | "default" => ("first", &[]),
            "unique" => ("unique", &[]),
            "hash" => ("hash", &[]),
            "deep" => ("deep", &DEEP_OPTIONS),
            "unconstrained_deep" if options.len() < 2 => ("deep", &DEEP_OPTIONS),
            "unconstrained_deep" => ("unconstrained_deep", &[]),
            "reverse_deep" => ("reverse_deep", &[]),
            other => return Err(unknown(other)),
        };
        if !matches!(name, "unconstrained_deep" | "reverse_deep") {
            check_options(options, known)?;
        }
        Ok(match name {
            "first" => Self::First,
            "unique" => Self::Unique,
            "hash" => Self::Hash,
            _ => Self::Deep(Arc::new(DeepOptions::new(name, options)?)),
        })
    }

    /// The name in explanations.
    pub fn name(&self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Unique => "unique",
            Self::Hash => "hash",
            Self::Deep(options) => options.name,
        }
    }

    /// The options in explanations.
    pub fn options(&self) -> Option<&HashValue> {
        match self {
            Self::Deep(options) if !options.given.is_empty() => Some(&options.given),
            _ => None,
        }
    }

    /// The result for the value of a single place.
    pub fn single(&self, value: Value) -> Value {
        match (self, value) {
            (Self::Unique, Value::Array(items)) => Value::array(unique(items.iter().cloned())),
            (_, value) => value,
        }
    }

    /// The start of a merge: the first of several values.
    pub fn first(&self, value: Value) -> Value {
        match self {
            Self::Unique => Value::array(flatten(&value)),
            _ => value,
        }
    }

    /// Merges the value of a higher level with one of a lower level.
    ///
    /// # Errors
    /// The message, when the strategy cannot merge the values.
    pub fn merge(&self, higher: Value, lower: Value) -> Result<Value, String> {
        match self {
            Self::First => Ok(higher),
            Self::Unique => {
                check(&UNIQUE, &higher, &lower)?;
                let both = flatten(&higher).into_iter().chain(flatten(&lower));
                Ok(Value::array(unique(both)))
            }
            Self::Hash => {
                check(&HASH, &higher, &lower)?;
                match (higher, lower) {
                    (Value::Hash(higher), Value::Hash(lower)) => {
                        let mut merged = (*lower).clone();
                        merged.extend(higher.iter().map(|(k, v)| (k.clone(), v.clone())));
                        Ok(Value::Hash(Arc::new(merged)))
                    }
                    (higher, _) => Ok(higher),
                }
            }
            Self::Deep(options) if options.reverse => deep(lower, higher, options),
            Self::Deep(options) => deep(higher, lower, options),
        }
    }
}

const DEEP_OPTIONS: [&str; 4] =
    ["knockout_prefix", "merge_debug", "merge_hash_arrays", "sort_merged_arrays"];

fn unknown(name: &str) -> String {
    format!("Unknown merge strategy: '{name}'")
}

/// The type of values that the strategy `unique` accepts.
static UNIQUE: LazyLock<Type> = LazyLock::new(|| {
    let list = Type::Array(Arc::new(Type::Data), SizeRange::ANY_SIZE);
    Type::Variant(vec![Type::Scalar, list].into())
});

/// The type of values that the strategy `hash` accepts.
static HASH: LazyLock<Type> = LazyLock::new(|| {
    let text = Type::String(SizeRange::ANY_SIZE);
    Type::Hash(Arc::new((text, Type::Data)), SizeRange::ANY_SIZE)
});

/// Whether a strategy can merge two values.
fn check(kind: &Type, higher: &Value, lower: &Value) -> Result<(), String> {
    for (nth, value) in [("first", higher), ("second", lower)] {
        if !is_instance(kind, value) {
            let subject = format!("The {nth} element of the merge has wrong type,");
            return Err(describe_mismatch(&subject, kind, &infer_set(value)));
        }
    }
    Ok(())
}

fn check_options(options: &HashValue, known: &[&str]) -> Result<(), String> {
    let mut problems = Vec::new();
    for (key, value) in options {
        let key = key.as_str().unwrap_or_default();
        if key == "strategy" || value.is_undef() {
            continue;
        }
        let expected = match key {
            key if !known.contains(&key) => {
                problems.push(format!("unrecognized key '{key}'"));
                continue;
            }
            "knockout_prefix" if value.as_str().is_none() => "String",
            "knockout_prefix" => continue,
            _ if matches!(value, Value::Bool(_)) => continue,
            _ => "Boolean",
        };
        let got = super::text::type_word(value);
        problems
            .push(format!("entry '{key}' expects a value of type Undef or {expected}, got {got}"));
    }
    super::text::mismatches("The merge options", &problems).map_or(Ok(()), Err)
}

impl DeepOptions {
    fn new(name: &'static str, options: &HashValue) -> Result<Self, String> {
        let flag = |key: &str| options.get(&crate::value::Key(key)).is_some_and(Value::is_true);
        let prefix = options.get(&crate::value::Key("knockout_prefix")).and_then(Value::as_str);
        if prefix == Some("") {
            return Err("knockout_prefix cannot be an empty string in deep_merge!".to_owned());
        }
        let mut given = HashValue::default();
        if options.len() > 1 {
            let rest = options.iter().filter(|(k, _)| k.as_str() != Some("strategy"));
            given.extend(rest.map(|(k, v)| (k.clone(), v.clone())));
        }
        Ok(Self {
            knockout_prefix: prefix.map(EcoString::from),
            merge_hash_arrays: flag("merge_hash_arrays"),
            sort_merged_arrays: flag("sort_merged_arrays"),
            reverse: name == "reverse_deep",
            name,
            given,
        })
    }

    /// The text without the knockout prefix, if it has it.
    fn knocked<'t>(&self, value: &'t Value) -> Option<&'t str> {
        value.as_str()?.strip_prefix(self.knockout_prefix.as_deref()?)
    }
}

// A regular expression in a value is compiled when first used, which does not change its hash.
/// Lists up to this length are compared item by item, which is faster than a set.
const SHORT: usize = 8;

/// The items of two lists, each once.
fn union(first: Arc<Vec<Value>>, second: &[Value]) -> Value {
    if first.len() > SHORT || second.len() > SHORT {
        return Value::array(unique(first.iter().chain(second).cloned()));
    }
    let repeats = |at: usize| first[..at].contains(&first[at]);
    if !(1..first.len()).any(repeats) && second.iter().all(|item| first.contains(item)) {
        return Value::Array(first);
    }
    let mut all: Vec<Value> = Vec::with_capacity(first.len() + second.len());
    for item in first.iter().chain(second) {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    Value::array(all)
}

#[allow(clippy::mutable_key_type)]
fn unique(items: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

fn flatten(value: &Value) -> Vec<Value> {
    fn into(value: &Value, out: &mut Vec<Value>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| into(item, out)),
            other => out.push(other.clone()),
        }
    }
    let mut out = Vec::new();
    into(value, &mut out);
    out
}

/// Merges `source` into `dest`, like the Ruby library `deep_merge`.
fn deep(source: Value, dest: Value, options: &DeepOptions) -> Result<Value, String> {
    if source.is_undef() {
        return Ok(dest);
    }
    if !dest.is_true() {
        return Ok(source);
    }
    match (source, dest) {
        (Value::Hash(source), dest) if source.is_empty() => {
            drop(source);
            Ok(dest)
        }
        (Value::Hash(source), Value::Hash(dest)) => deep_hashes(source.iter(), dest, options),
        // The first entry finds no hash and is replaced by the source; later entries are merged
        // with themselves.
        (Value::Hash(source), _) => {
            let dest = Arc::new((*source).clone());
            deep_hashes(source.iter().skip(1), dest, options)
        }
        (Value::Array(source), dest) => deep_arrays(&source, dest, options),
        (source, _) => Ok(match options.knocked(&source) {
            Some(_) => Value::str(""),
            None => source,
        }),
    }
}

fn deep_hashes<'v>(
    source: impl Iterator<Item = (&'v Value, &'v Value)>,
    dest: Arc<HashValue>,
    options: &DeepOptions,
) -> Result<Value, String> {
    let mut merged = Arc::unwrap_or_clone(dest);
    for (key, value) in source {
        match merged.get_mut(key) {
            Some(slot) => {
                // Taking the old value out of the hash leaves it with one owner, so that its parts
                // are not copied.
                let old = Some(std::mem::take(slot)).filter(Value::is_true);
                let old = old.unwrap_or_else(|| value.clone());
                *slot = deep(value.clone(), old, options)?;
            }
            None => {
                merged.insert(key.clone(), deep(value.clone(), value.clone(), options)?);
            }
        }
    }
    Ok(Value::Hash(Arc::new(merged)))
}

#[allow(clippy::mutable_key_type)]
fn deep_arrays(source: &[Value], dest: Value, options: &DeepOptions) -> Result<Value, String> {
    let prefix = options.knockout_prefix.as_deref();
    let plain = prefix.is_none() && !options.merge_hash_arrays && !options.sort_merged_arrays;
    let dest = match dest {
        Value::Array(dest) if plain => return Ok(union(dest, source)),
        dest => dest,
    };
    let clears = prefix.is_some() && source.iter().any(|item| item.as_str() == prefix);
    let source = source.iter().filter(|item| !clears || item.as_str() != prefix);
    let Value::Array(dest) = dest else {
        let kept = source.filter(|item| options.knocked(item).is_none());
        return Ok(Value::array(kept.cloned()));
    };
    let dest = if clears { Vec::new() } else { Arc::unwrap_or_clone(dest) };
    let (knocking, source): (Vec<_>, Vec<_>) =
        source.cloned().partition(|item| options.knocked(item).is_some());
    let mut gone = FxHashSet::default();
    for item in knocking {
        gone.extend(options.knocked(&item).map(Value::str));
        gone.insert(item);
    }
    let dest: Vec<Value> = dest.into_iter().filter(|item| !gone.contains(item)).collect();
    let all_hashes = |items: &[Value]| items.iter().all(|item| item.as_hash().is_some());
    let mut merged = if options.merge_hash_arrays && all_hashes(&source) && all_hashes(&dest) {
        let mut source = source.into_iter();
        let mut merged = Vec::with_capacity(dest.len());
        for item in dest {
            let higher = source.next().unwrap_or_else(|| Value::Hash(Arc::default()));
            merged.push(deep(higher, item, options)?);
        }
        merged.extend(source);
        merged
    } else {
        unique(dest.into_iter().chain(source))
    };
    if options.sort_merged_arrays {
        sort(&mut merged)?;
    }
    Ok(Value::array(merged))
}

/// Sorts a merged list as Ruby does: lists are compared item by item, and it is an error when two
/// values have no order.
fn sort(items: &mut [Value]) -> Result<(), String> {
    let mut fault = None;
    items.sort_by(|a, b| order(a, b, &mut fault));
    fault.map_or(Ok(()), |[a, b]| Err(format!("comparison of {a} with {b} failed")))
}

/// The order of two values. Values that Ruby cannot compare get an order as well, to keep the sort
/// consistent; the first such pair is recorded as the fault.
fn order(a: &Value, b: &Value, fault: &mut Option<[EcoString; 2]>) -> Ordering {
    let unordered = |order: Ordering, fault: &mut Option<_>| {
        fault.get_or_insert_with(|| [ruby_class(a).into(), compared(b)]);
        order
    };
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(x), Value::Float(y)) => match x.partial_cmp(y) {
            Some(order) => order,
            None => unordered(x.total_cmp(y), fault),
        },
        (Value::Int(i), Value::Float(f)) if !f.is_nan() => mixed(*i, *f),
        (Value::Float(f), Value::Int(i)) if !f.is_nan() => mixed(*i, *f).reverse(),
        (Value::Array(a), Value::Array(b)) => {
            let mut items = a.iter().zip(b.iter()).map(|(a, b)| order(a, b, fault));
            items.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (a, b) if a == b => Ordering::Equal,
        (a, b) => unordered(rank(a).cmp(&rank(b)), fault),
    }
}

/// The order of an integer and a float other than NaN.
fn mixed(i: i64, f: f64) -> Ordering {
    order_mixed(i, f).unwrap_or(Ordering::Equal)
}

/// A value in Ruby's errors about comparisons, which show small values and the class of others.
fn compared(value: &Value) -> EcoString {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => ruby_text(value),
        Value::Undef => "nil".into(),
        other => ruby_class(other).into(),
    }
}

/// The place of the class of a value among others; a float that is no number is beside them.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Float(f) if f.is_nan() => 0,
        Value::Int(_) | Value::Float(_) => 1,
        Value::Str(_) => 2,
        Value::Bool(false) => 3,
        Value::Bool(true) => 4,
        Value::Array(_) => 5,
        Value::Undef => 6,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn list(items: &[&str]) -> Value {
        Value::array(items.iter().map(|i| Value::from(*i)))
    }

    fn deep_with(options: &[(&str, Value)], higher: Value, lower: Value) -> Value {
        let strategy = [("strategy", Value::from("deep"))];
        let all = strategy.into_iter().chain(options.iter().cloned());
        Strategy::of(&Value::hash(all)).unwrap().merge(higher, lower).unwrap()
    }

    #[test]
    fn a_deep_merge_puts_the_lower_items_first() {
        let merged = deep_with(&[], list(&["b", "c"]), list(&["a", "b"]));
        assert_eq!(merged, list(&["a", "b", "c"]));
    }

    #[test]
    fn a_hash_over_a_list_keeps_the_first_entry_as_it_is() {
        let twice = || list(&["a", "a"]);
        let higher = Value::hash([("first", twice()), ("other", twice())]);
        let merged = deep_with(&[], higher, list(&["x"]));
        assert_eq!(merged, Value::hash([("first", twice()), ("other", list(&["a"]))]));
    }

    #[test]
    fn a_prefix_knocks_out() {
        let prefix = [("knockout_prefix", Value::from("--"))];
        assert_eq!(deep_with(&prefix, list(&["--a", "c"]), list(&["a", "b"])), list(&["b", "c"]));
        assert_eq!(deep_with(&prefix, list(&["--", "c"]), list(&["a", "b"])), list(&["c"]));
        assert_eq!(deep_with(&prefix, "--x".into(), "x".into()), "".into());
    }

    #[test]
    fn unique_refuses_hashes() {
        let strategy = Strategy::of(&"unique".into()).unwrap();
        let error = strategy.merge("a".into(), Value::hash([("k", Value::Int(1))])).unwrap_err();
        assert!(error.ends_with("expects a value of type Scalar or Array, got Struct"), "{error}");
        assert_eq!(strategy.single(list(&["a", "a"])), list(&["a"]));
    }

    #[test]
    fn unknown_strategies_are_named() {
        assert_eq!(Strategy::of(&"nope".into()).unwrap_err(), "Unknown merge strategy: 'nope'");
        let odd = Value::hash([("strategy", "hash"), ("zip", "x")].map(|(k, v)| (k, v.into())));
        let error = Strategy::of(&odd).unwrap_err();
        assert_eq!(error, "The merge options has wrong type, unrecognized key 'zip'");
    }
}
