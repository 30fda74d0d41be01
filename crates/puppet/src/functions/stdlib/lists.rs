//! Functions on lists.

use indexmap::IndexSet;
use ordain_functions::text::{self, CharSet};
use ordain_source::limits::most_items;
use rustc_hash::FxBuildHasher;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::collections::flat;
use crate::functions::iterate::{chars, limit};
use crate::functions::legacy::leading_integer;
use crate::functions::numbers::{merge_sort, natural_order, not_ordered};
use crate::functions::stdlib::convert::{as_list, truth};
use crate::functions::stdlib::{at, no_method, text_of};
use crate::functions::support::{
    function, old, old_args, regex, ruby_class, ruby_equal, ruby_text, wrap,
};
use crate::functions::{Function, plain, req, with_block};
use crate::value::Value;

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("concat", "Appends lists or values to a list.", -1, concat),
    old("count", "Counts the items that equal a value, or those that are not empty.", -2, count),
    old("delete_at", "Removes the item at a position.", -1, delete_at),
    old("difference", "Gives the items of a list that another does not have.", -1, difference),
    old("grep", "Gives the items that a regular expression matches.", -1, |c| grep(c, true)),
    old("intersection", "Gives the items that two lists have in common.", -1, intersection),
    old("member", "Tells whether a list has a value, or all values of another list.", -1, member),
    old("range", "Counts from a number or text to another.", -1, range),
    old("reject", "Gives the items that a regular expression does not match.", -1, |c| {
        grep(c, false)
    }),
    old("reverse", "Turns a list or text around.", -1, reverse),
    old("union", "Returns the items of all lists, each once.", -1, union),
    old("values_at", "Gives the items at positions or ranges of them.", -1, values_at),
    old("zip", "Pairs the items of two lists.", -1, zip),
    function(
        "stdlib::sort_by",
        "Sorts by a lambda's value.",
        &[
            with_block(&[req("Array", "ary")], "Callable[1, 1]", |c| sort_by(c, false)),
            with_block(&[req("String", "str")], "Callable[1, 1]", |c| sort_by(c, false)),
            with_block(&[req("Hash", "hsh")], "Variant[Callable[1,1], Callable[2,2]]", |c| {
                let two = c.block_arity() == Some(2);
                sort_by(c, two)
            }),
        ],
    ),
    function(
        "stdlib::start_with",
        "Tells whether a text starts with one of the texts.",
        &[plain(
            &[
                req("String", "test_string"),
                req("Variant[String[1],Array[String[1], 1]]", "prefixes"),
            ],
            |c| {
                Ok(Value::Bool(
                    as_list(c.arg(1))
                        .iter()
                        .any(|p| c.str(0).starts_with(p.as_str().unwrap_or_default())),
                ))
            },
        )],
    ),
    function(
        "stdlib::end_with",
        "Tells whether a text ends with one of the texts.",
        &[plain(
            &[
                req("String", "test_string"),
                req("Variant[String[1],Array[String[1], 1]]", "suffixes"),
            ],
            |c| {
                Ok(Value::Bool(
                    as_list(c.arg(1))
                        .iter()
                        .any(|p| c.str(0).ends_with(p.as_str().unwrap_or_default())),
                ))
            },
        )],
    ),
];

type Set = IndexSet<Value, FxBuildHasher>;

fn concat(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!("concat(): Wrong number of arguments given ({} for < 2)", args.len()));
    }
    let Some(first) = args[0].as_array() else {
        return fail("concat(): Requires array to work with");
    };
    let mut out = first.to_vec();
    for value in &args[1..] {
        match value {
            Value::Array(items) => out.extend(items.iter().cloned()),
            other => out.push(other.clone()),
        }
    }
    Ok(Value::array(out))
}

fn count(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() > 2 {
        return fail(format!(
            "count(): Wrong number of arguments given {} for 1 or 2.",
            args.len()
        ));
    }
    let items = match &args[0] {
        Value::Array(items) => items.to_vec(),
        Value::Hash(hash) => {
            hash.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
        }
        Value::Str(text) => return count_chars(text, args.get(1)),
        other => return no_method("count", other),
    };
    let n = match args.get(1).filter(|v| v.is_true()) {
        Some(wanted) => items.iter().filter(|item| ruby_equal(item, wanted)).count(),
        None => items.iter().filter(|item| !is_blank(item)).count(),
    };
    Ok(Value::Int(n as i64))
}

/// The number of characters of a text that are in a set.
fn count_chars(text: &str, set: Option<&Value>) -> EvalResult {
    let Some(set) = set.and_then(Value::as_str) else {
        return fail("wrong number of arguments (given 0, expected 1+)");
    };
    let set = CharSet::parse(set).map_err(wrap)?;
    let count = text.chars().filter(|&c| set.contains(c)).count();
    Ok(Value::Int(count as i64))
}

/// `undef` and empty text.
pub(crate) fn is_blank(value: &Value) -> bool {
    value.is_undef() || value.as_str() == Some("")
}

fn index(value: &Value) -> i64 {
    match value {
        Value::Int(i) => *i,
        Value::Float(f) => *f as i64,
        other => leading_integer(&ruby_text(other)),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn delete_at(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!(
            "delete_at(): Wrong number of arguments given ({} for 2)",
            args.len()
        ));
    }
    let Some(items) = args[0].as_array() else {
        return fail("delete_at(): Requires array to work with");
    };
    if args[1].as_str().is_some_and(|text| !is_digits(text)) {
        return fail("delete_at(): You must provide non-negative numeric index");
    }
    let mut items = items.to_vec();
    let at = index(&args[1]);
    let at = if at < 0 { at + items.len() as i64 } else { at };
    if at >= items.len() as i64 {
        return fail("delete_at(): Given index exceeds size of array given");
    }
    if let Ok(at) = usize::try_from(at) {
        items.remove(at);
    }
    Ok(Value::array(items))
}

fn difference(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        return fail(format!(
            "difference(): Wrong number of arguments given ({} for 2)",
            args.len()
        ));
    }
    let (Some(a), Some(b)) = (args[0].as_array(), args[1].as_array()) else {
        return fail("difference(): Requires 2 arrays");
    };
    let other: Set = b.iter().cloned().collect();
    Ok(Value::array(a.iter().filter(|v| !other.contains(*v)).cloned()))
}

fn intersection(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 2 {
        return fail(format!(
            "intersection(): Wrong number of arguments given ({} for 2)",
            args.len()
        ));
    }
    let (Some(a), Some(b)) = (args[0].as_array(), args[1].as_array()) else {
        let (a, b) = (ruby_class(&args[0]), ruby_class(&args[1]));
        return fail(format!("intersection(): Requires 2 arrays, got {a} and {b}"));
    };
    let other: Set = b.iter().cloned().collect();
    let common: Set = a.iter().filter(|v| other.contains(*v)).cloned().collect();
    Ok(Value::array(common))
}

fn union(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!("union(): Wrong number of arguments given ({} for < 2)", args.len()));
    }
    let mut all = Set::default();
    for value in &args {
        let Some(items) = value.as_array() else {
            return fail("union(): Every parameter must be an array");
        };
        all.extend(items.iter().cloned());
    }
    Ok(Value::array(all))
}

fn grep(call: &mut Call<'_, '_>, wanted: bool) -> EvalResult {
    let args = old_args(call);
    let name = call.name;
    if args.len() != 2 {
        return fail(format!("{name}(): Wrong number of arguments given {} for 2", args.len()));
    }
    let Some(items) = args[0].as_array() else {
        return no_method(if wanted { "grep" } else { "grep_v" }, &args[0]);
    };
    let Some(pattern) = args[1].as_str() else {
        let class = crate::functions::legacy::conversion_name(&args[1]);
        return fail(format!("no implicit conversion of {class} into String"));
    };
    let regex = regex(pattern)?;
    let mut kept = Vec::new();
    for item in items {
        let matched = match item.as_str() {
            Some(text) => regex.is_match(text).map_err(wrap)?,
            None => false,
        };
        if matched == wanted {
            kept.push(item.clone());
        }
    }
    Ok(Value::array(kept))
}

fn member(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!("member(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let Some(items) = args[0].as_array() else {
        return fail("member(): Requires array to work with");
    };
    if !matches!(args[1], Value::Str(_) | Value::Int(_) | Value::Array(_)) {
        return fail("member(): Item to search for must be a string, fixnum, or array");
    }
    let wanted = as_list(&args[1]);
    if wanted.is_empty() {
        return fail("member(): You must provide item to search for within array given");
    }
    let items: Set = items.iter().cloned().collect();
    Ok(Value::Bool(wanted.iter().all(|v| items.contains(v))))
}

fn reverse(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.first() {
        None => fail("reverse(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Array(items)) => Ok(Value::array(items.iter().rev().cloned())),
        Some(Value::Str(text)) => Ok(Value::from(text.chars().rev().collect::<String>())),
        Some(_) => fail("reverse(): Requires either array or string to work with"),
    }
}

/// The ends of a range in one text, `a..c`, `a...c` or `a-c`, and whether the last one is excluded.
fn split_range(text: &str) -> Option<(&str, &str, bool)> {
    let is_word = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_alphanumeric() || c == '_');
    for (sign, open) in [("...", true), ("..", false), ("-", false)] {
        if let Some((a, b)) = text.split_once(sign)
            && is_word(a)
            && is_word(b)
        {
            return Some((a, b, open));
        }
    }
    None
}

/// The maximal number of values of upstream's `range`.
const RANGE_LIMIT: usize = 1_000_000;

fn range(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.is_empty() {
        return fail("range(): Wrong number of arguments given (0 for 1)");
    }
    let (start, stop, step, open) = if args.len() > 1 {
        let step = match args.get(2) {
            None | Some(Value::Undef) => 1,
            Some(value @ (Value::Hash(_) | Value::Array(_) | Value::Bool(_))) => {
                return no_method("to_i", value);
            }
            Some(value) => index(value).unsigned_abs(),
        };
        if step == 0 {
            return fail("range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)");
        }
        (args[0].clone(), args[1].clone(), step, false)
    } else {
        let Some(text) = args[0].as_str() else { return no_method("match", &args[0]) };
        match split_range(text) {
            Some((a, b, open)) => (Value::str(a), Value::str(b), 1, open),
            None if text.is_empty() => return fail("range(): Unknown range format: "),
            None => {
                return fail(format!("range(): Unable to compute range from the value: {text}"));
            }
        }
    };
    if is_digits(&ruby_text(&start)) {
        return count_up(index(&start), index(&stop), step, open);
    }
    let mut out = Vec::new();
    let texts = text::range(&ruby_text(&start), &ruby_text(&stop), open);
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    for (i, text) in texts.enumerate() {
        limit(i as u64)?;
        if i % step == 0 {
            out.push(Value::from(text));
        }
        if out.len() >= RANGE_LIMIT {
            break;
        }
    }
    Ok(Value::array(out))
}

fn count_up(start: i64, stop: i64, step: u64, open: bool) -> EvalResult {
    let last = if open { stop.saturating_sub(1) } else { stop };
    if last < start {
        return Ok(Value::array([]));
    }
    let count = last.abs_diff(start) / step + 1;
    limit(count)?;
    // Upstream gives up silently here.
    let values = (0..count.min(most_items() as u64))
        .map(|i| Value::Int(start.saturating_add_unsigned(i * step)));
    Ok(Value::array(values))
}

fn values_at(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!(
            "values_at(): Wrong number of arguments given ({} for 2)",
            args.len()
        ));
    }
    let Some(items) = args[0].as_array() else {
        return fail("values_at(): Requires array to work with");
    };
    let wanted = flat(&args[1..2])?;
    if wanted.is_empty() {
        return fail("values_at(): You must provide at least one positive index to collect");
    }
    let mut out = Vec::new();
    for value in &wanted {
        let text = text_of(value);
        let range = split_range(&text).filter(|(a, b, _)| is_digits(a) && is_digits(b));
        if let Some((start, stop, open)) = range {
            let (start, stop) = (leading_integer(start), leading_integer(stop));
            if start > stop {
                return fail(
                    "values_at(): Stop index in given indices range is smaller than the start index",
                );
            }
            if stop >= items.len() as i64 {
                return fail("values_at(): Stop index in given indices range exceeds array size");
            }
            let end = if open { stop } else { stop + 1 };
            limit((out.len() as u64).saturating_add(end.abs_diff(start)))?;
            out.extend_from_slice(&items[start as usize..end as usize]);
            continue;
        }
        if !is_digits(&text) {
            return fail("values_at(): Unknown format of given index");
        }
        let at = leading_integer(&text);
        match items.get(at as usize) {
            Some(item) => out.push(item.clone()),
            None => return fail("values_at(): Given index exceeds array size"),
        }
    }
    out.retain(|value| !value.is_undef());
    Ok(Value::array(out))
}

fn zip(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!("zip(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let (Some(a), Some(b)) = (args[0].as_array(), args[1].as_array()) else {
        return fail("zip(): Requires array to work with");
    };
    let flatten = match args.get(2) {
        None | Some(Value::Undef | Value::Bool(false)) => false,
        Some(value) => truth(value)?,
    };
    let pairs = a.iter().enumerate().map(|(i, v)| Value::array([v.clone(), at(b, i).clone()]));
    let pairs: Vec<Value> = pairs.collect();
    Ok(Value::array(if flatten { flat(&pairs)? } else { pairs }))
}

fn sort_by(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let items: Vec<Value> = match call.arg(0) {
        Value::Str(text) => chars(text),
        Value::Hash(hash) => {
            hash.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
        }
        other => as_list(other).to_vec(),
    };
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let key = match item.as_array() {
            Some(pair) if two => call.yield_block(pair)?,
            _ => call.yield_block(std::slice::from_ref(&item))?,
        };
        keyed.push(Value::array([key, item]));
    }
    let part = |pair: &Value, i| at(pair.as_array().unwrap_or_default(), i).clone();
    let keyed = merge_sort(keyed, &mut |a, b| {
        let (a, b) = (part(a, 0), part(b, 0));
        natural_order(&a, &b).map_or_else(|| fail(not_ordered(&a, &b)), Ok)
    })?;
    let sorted = keyed.iter().map(|pair| part(pair, 1));
    Ok(match call.arg(0) {
        Value::Str(_) => Value::from(sorted.map(|v| text_of(&v)).collect::<String>()),
        Value::Hash(_) => {
            let pairs =
                sorted.filter_map(|v| Some((v.as_array()?[0].clone(), v.as_array()?[1].clone())));
            Value::Hash(std::sync::Arc::new(pairs.collect()))
        }
        _ => Value::array(sorted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_counting_is_refused() {
        assert!(count_up(1, 1_000_000_000_000, 1, false).is_err());
        assert_eq!(count_up(1, 7, 3, false).ok(), Some(Value::array([1, 4, 7].map(Value::Int))));
    }
}
