//! Functions on hashes, and functions that accept lists, hashes or texts.

use std::sync::Arc;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::iterate::Items;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::lists::is_blank;
use crate::functions::stdlib::{forward, text_of};
use crate::functions::support::{
    function, old, old_args, regex, ruby_class, ruby_equal, ruby_inspect, ruby_text, wrap,
};
use crate::functions::{Function, plain, rep, req, with_block, with_opt_block};
use crate::value::{HashValue, Value};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("deep_merge", "Merges hashes, inner ones too; the last one wins.", -1, deep_merge),
    old("delete", "Removes values from a list, keys from a hash or parts from a text.", -1, delete),
    old(
        "delete_regex",
        "Removes the items or keys that a regular expression matches.",
        -1,
        delete_regex,
    ),
    old(
        "delete_undef_values",
        "Removes undefined values from a list or hash.",
        -1,
        delete_undef_values,
    ),
    old("delete_values", "Removes the entries of a hash that have a value.", -1, delete_values),
    old("join_keys_to_values", "Gives texts of key, separator and value.", -1, join_keys_to_values),
    old("pick", "Gives the first argument that is neither undef nor empty.", -1, pick),
    old(
        "pick_default",
        "Gives the first argument that is neither undef nor empty, or the last.",
        -1,
        pick_default,
    ),
    old("prefix", "Puts a text before each item or key.", -1, |c| affix(c, true)),
    old("suffix", "Puts a text after each item or key.", -1, |c| affix(c, false)),
    function(
        "stdlib::merge",
        "Merges hashes, or the hashes that a lambda gives; the last one wins.",
        &[
            plain(&[rep("Variant[Hash[Scalar,Any], Undef, String[0,0]]", "args")], merge),
            with_block(&[rep("Iterable", "args")], "Callable[3, 3]", |c| merge_items(c, true)),
            with_block(&[rep("Iterable", "args")], "Callable[2, 2]", |c| merge_items(c, false)),
        ],
    ),
    function(
        "merge",
        "Deprecated name of stdlib::merge.",
        &[with_opt_block(&[rep("Any", "args")], "Variant[Callable[2,2], Callable[3,3]]", |c| {
            forward(c, "stdlib::merge")
        })],
    ),
    function(
        "stdlib::nested_values",
        "Gives all values of a hash and of the hashes in it.",
        &[plain(&[req("Hash", "hash")], |c| {
            let mut out = Vec::new();
            nested_values(&c.hash(0), &mut out);
            Ok(Value::array(out))
        })],
    ),
];

fn deep_merge(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        let n = args.len();
        return fail(format!("deep_merge(): wrong number of arguments ({n}; must be at least 2)"));
    }
    // The steps for an entry, which is copied, weighed and dropped.
    const STEPS: usize = 4;
    let entries: usize = args.iter().filter_map(Value::as_hash).map(HashValue::len).sum();
    call.compiler.budget.spend((STEPS * entries) as u64)?;
    let mut merged = HashValue::default();
    for value in &args {
        match value {
            Value::Str(text) if text.is_empty() => {}
            Value::Hash(hash) if merged.is_empty() => merged = HashValue::clone(hash),
            Value::Hash(hash) => merge_into(&mut merged, hash),
            other => {
                return fail(format!(
                    "deep_merge: unexpected argument type {}, only expects hash arguments",
                    ruby_class(other)
                ));
            }
        }
    }
    Ok(Value::Hash(Arc::new(merged)))
}

fn merge_into(target: &mut HashValue, from: &HashValue) {
    for (key, value) in from {
        match (target.get_mut(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) => merge_into(Arc::make_mut(old), new),
            (Some(slot), value) => *slot = value.clone(),
            (None, value) => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

fn delete(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        return fail(format!("delete(): Wrong number of arguments given {} for 2", args.len()));
    }
    let items = wanted(&args[1]);
    match &args[0] {
        Value::Array(values) => {
            let kept = values.iter().filter(|v| !items.iter().any(|item| ruby_equal(v, item)));
            Ok(Value::array(kept.cloned()))
        }
        Value::Hash(hash) => {
            let mut hash = HashValue::clone(hash);
            items.iter().for_each(|item| drop(hash.shift_remove(item)));
            Ok(Value::Hash(Arc::new(hash)))
        }
        Value::Str(text) => {
            let mut text = text.to_string();
            for item in items.iter() {
                text = text.replace(&text_of(item), "");
            }
            Ok(Value::from(text))
        }
        other if items.is_empty() => Ok(other.clone()),
        other => fail(format!(
            "delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.",
            ruby_class(other)
        )),
    }
}

/// Ruby's `Array(v)`.
fn wanted(value: &Value) -> Arc<Vec<Value>> {
    match value {
        Value::Undef => Arc::default(),
        Value::Hash(hash) => {
            Arc::new(hash.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect())
        }
        other => as_list(other),
    }
}

fn delete_regex(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        return fail(format!(
            "delete_regex(): Wrong number of arguments given {} for 2",
            args.len()
        ));
    }
    let mut value = args[0].clone();
    for item in wanted(&args[1]).iter() {
        let regex = regex(&format!(r"\b{}\b", ruby_text(item)))?;
        let matches = |v: &Value| match v.as_str() {
            Some(text) => regex.is_match(text).map_err(wrap),
            None => Ok(false),
        };
        value = match &value {
            Value::Array(values) => {
                let mut kept = Vec::new();
                for v in values.iter() {
                    if !matches(v)? {
                        kept.push(v.clone());
                    }
                }
                Value::array(kept)
            }
            Value::Hash(hash) => {
                let mut kept = HashValue::default();
                for (k, v) in hash.iter() {
                    if !matches(k)? {
                        kept.insert(k.clone(), v.clone());
                    }
                }
                Value::Hash(Arc::new(kept))
            }
            Value::Str(text) => {
                let text = ruby_inspect(&Value::Str(text.clone()));
                return fail(format!("undefined method `reject!' for {text}:String"));
            }
            other => {
                return fail(format!(
                    "delete_regex(): First argument must be an Array, Hash, or String. Given an \
                     argument of class {}.",
                    ruby_class(other)
                ));
            }
        };
    }
    Ok(value)
}

fn delete_undef_values(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.first() {
        None => fail("delete_undef_values(): Wrong number of arguments given (0)"),
        Some(Value::Array(items)) => {
            Ok(Value::array(items.iter().filter(|v| !v.is_undef()).cloned()))
        }
        Some(Value::Hash(hash)) => {
            let kept = hash.iter().filter(|(_, v)| !v.is_undef());
            Ok(Value::Hash(Arc::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect())))
        }
        Some(other) => fail(format!(
            "delete_undef_values(): expected an array or hash, got {} type  {} ",
            ruby_text(other),
            ruby_class(other)
        )),
    }
}

fn delete_values(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        return fail(format!(
            "delete_values(): Wrong number of arguments given ({} of 2)",
            args.len()
        ));
    }
    let Some(hash) = args[0].as_hash() else {
        return fail(format!(
            "delete_values(): First argument must be a Hash. Given an argument of class {}.",
            ruby_class(&args[0])
        ));
    };
    let kept = hash.iter().filter(|(_, v)| !ruby_equal(&args[1], v));
    Ok(Value::Hash(Arc::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect())))
}

fn join_keys_to_values(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        let n = args.len();
        return fail(format!("join_keys_to_values(): Takes exactly two arguments, but {n} given."));
    }
    let Some(hash) = args[0].as_hash() else {
        let class = ruby_class(&args[0]);
        return fail(format!(
            "join_keys_to_values(): The first argument must be a hash, but a {class} was given."
        ));
    };
    let Some(separator) = args[1].as_str() else {
        let class = ruby_class(&args[1]);
        return fail(format!(
            "join_keys_to_values(): The second argument must be a string, but a {class} was given."
        ));
    };
    let mut out = Vec::new();
    for (key, value) in hash {
        let key = ruby_text(key);
        match value {
            Value::Array(items) => {
                out.extend(
                    items.iter().map(|v| Value::from(format!("{key}{separator}{}", ruby_text(v)))),
                );
            }
            value if ruby_text(value) == "undef" => out.push(Value::Str(key)),
            value => out.push(Value::from(format!("{key}{separator}{}", ruby_text(value)))),
        }
    }
    Ok(Value::array(out))
}

fn pick(call: &mut Call<'_, '_>) -> EvalResult {
    match old_args(call).into_iter().find(|v| !is_blank(v)) {
        Some(value) => Ok(value),
        None => fail("pick(): must receive at least one non empty value"),
    }
}

fn pick_default(call: &mut Call<'_, '_>) -> EvalResult {
    let mut args = old_args(call);
    let Some(default) = args.pop() else { return fail("Must receive at least one argument.") };
    Ok(args.into_iter().find(|v| !is_blank(v)).unwrap_or(default))
}

fn affix(call: &mut Call<'_, '_>, before: bool) -> EvalResult {
    let args = old_args(call);
    let name = call.name;
    let Some(first) = args.first() else {
        return fail(format!("{name}(): Wrong number of arguments given (0 for 1)"));
    };
    if !matches!(first, Value::Array(_) | Value::Hash(_)) {
        return fail(format!(
            "{name}(): expected first argument to be an Array or a Hash, got {}",
            ruby_inspect(first)
        ));
    }
    let text = match args.get(1) {
        None | Some(Value::Undef | Value::Bool(false)) => "",
        Some(Value::Str(text)) => text.as_str(),
        Some(other) => {
            return fail(format!(
                "{name}(): expected second argument to be a String, got {}",
                ruby_inspect(other)
            ));
        }
    };
    let change = |value: &Value| {
        let value = ruby_text(value);
        Value::from(if before { format!("{text}{value}") } else { format!("{value}{text}") })
    };
    Ok(match first {
        Value::Hash(hash) => {
            Value::Hash(Arc::new(hash.iter().map(|(k, v)| (change(k), v.clone())).collect()))
        }
        other => Value::array(as_list(other).iter().map(change)),
    })
}

fn merge(call: &mut Call<'_, '_>) -> EvalResult {
    let mut merged = HashValue::default();
    for value in std::mem::take(&mut call.args) {
        if let Value::Hash(hash) = value {
            merged.extend(hash.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
    }
    Ok(Value::Hash(Arc::new(merged)))
}

/// Merges the hashes that the lambda returns for the hash so far and an item. A lambda with three
/// parameters gets the key or position and the value of the item, one with two the item.
fn merge_items(call: &mut Call<'_, '_>, three: bool) -> EvalResult {
    let mut merged = HashValue::default();
    for entry in Items::of(call.arg(0))? {
        let so_far = Value::Hash(Arc::new(merged.clone()));
        let given = if three {
            call.iterate(&[so_far, entry.key, entry.value])?
        } else {
            call.iterate(&[so_far, entry.item()])?
        };
        match given {
            Some(Value::Hash(hash)) => {
                merged.extend(hash.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(Value::Hash(Arc::new(merged)))
}

/// Collects the values of a hash and of nested hashes.
pub(crate) fn nested_values(hash: &HashValue, out: &mut Vec<Value>) {
    for value in hash.values() {
        match value {
            Value::Hash(inner) => nested_values(inner, out),
            other => out.push(other.clone()),
        }
    }
}
