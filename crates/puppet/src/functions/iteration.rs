//! Functions that call a lambda for every item.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::iterate::{Items, check_round, limit, visit};
use crate::functions::support::{element_type, function, regex, regexp_of, ruby_equal};
use crate::functions::{Dispatch, Function, opt, plain, rep, req, with_block, with_opt_block};
use crate::state::budget::ITEMS_A_STEP;
use crate::types::{IntRange, Type};
use crate::value::{HashValue, IteratorValue, Value};

const HASH: &[crate::functions::Param] = &[req("Hash[Any, Any]", "hash")];
const ITERABLE: &[crate::functions::Param] = &[req("Iterable", "enumerable")];

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "all",
        "Tells whether a lambda is true for every item.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| quantify(c, true, false)),
            with_block(HASH, "Callable[1, 1]", |c| quantify(c, false, false)),
            with_block(ITERABLE, "Callable[2, 2]", |c| quantify(c, true, false)),
            with_block(ITERABLE, "Callable[1, 1]", |c| quantify(c, false, false)),
        ],
    ),
    function(
        "any",
        "Tells whether a lambda is true for some item.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| quantify(c, true, true)),
            with_block(HASH, "Callable[1, 1]", |c| quantify(c, false, true)),
            with_block(ITERABLE, "Callable[2, 2]", |c| quantify(c, true, true)),
            with_block(ITERABLE, "Callable[1, 1]", |c| quantify(c, false, true)),
        ],
    ),
    function(
        "each",
        "Calls a lambda for every item and gives the collection itself.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| each(c, true)),
            with_block(HASH, "Callable[1, 1]", |c| each(c, false)),
            with_block(ITERABLE, "Callable[2, 2]", |c| each(c, true)),
            with_block(ITERABLE, "Callable[1, 1]", |c| each(c, false)),
        ],
    ),
    function(
        "filter",
        "Keeps the items for which a lambda is true.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| filter_hash(c, true)),
            with_block(HASH, "Callable[1, 1]", |c| filter_hash(c, false)),
            with_block(ITERABLE, "Callable[2, 2]", |c| filter(c, true)),
            with_block(ITERABLE, "Callable[1, 1]", |c| filter(c, false)),
        ],
    ),
    function(
        "map",
        "Gives the list of a lambda's values for every item.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| map(c, true)),
            with_block(HASH, "Callable[1, 1]", |c| map(c, false)),
            with_block(ITERABLE, "Callable[2, 2]", |c| map(c, true)),
            with_block(ITERABLE, "Callable[1, 1]", |c| map(c, false)),
        ],
    ),
    function(
        "reduce",
        "Combines all items with a lambda of the value so far and the item.",
        &[
            with_block(ITERABLE, "Callable[2, 2]", reduce),
            with_block(
                &[req("Iterable", "enumerable"), req("Any", "memo")],
                "Callable[2, 2]",
                reduce,
            ),
        ],
    ),
    function(
        "slice",
        "Gives the items in groups of a size, or calls a lambda for each group.",
        &[
            any_block(
                &[req("Hash[Any, Any]", "hash"), req("Integer[1, default]", "slice_size")],
                slice,
            ),
            any_block(
                &[req("Iterable", "enumerable"), req("Integer[1, default]", "slice_size")],
                slice,
            ),
        ],
    ),
    function(
        "group_by",
        "Groups the items of a collection by a lambda's value.",
        &[
            with_block(&[req("Collection", "collection")], "Callable[1, 1]", |c| {
                group_by(c, false)
            }),
            with_block(&[req("Array", "array")], "Callable[2, 2]", |c| group_by(c, true)),
            with_block(&[req("Collection", "collection")], "Callable[2, 2]", |c| group_by(c, true)),
        ],
    ),
    function(
        "partition",
        "Gives the items for which a lambda is true, and the others.",
        &[
            with_block(&[req("Collection", "collection")], "Callable[1, 1]", |c| {
                partition(c, false)
            }),
            with_block(&[req("Array", "array")], "Callable[2, 2]", |c| partition(c, true)),
            with_block(&[req("Collection", "collection")], "Callable[2, 2]", |c| {
                partition(c, true)
            }),
        ],
    ),
    function(
        "index",
        "Gives the key or position of the first item that matches.",
        &[
            with_block(HASH, "Callable[2, 2]", |c| index_by(c, true)),
            with_block(HASH, "Callable[1, 1]", |c| index_by(c, false)),
            with_block(ITERABLE, "Callable[2, 2]", |c| index_by(c, true)),
            with_block(ITERABLE, "Callable[1, 1]", |c| index_by(c, false)),
            plain(&[req("String", "str"), req("Variant[String,Regexp]", "match")], index_in_text),
            plain(&[req("Iterable", "enumerable"), req("Any", "match")], index_of),
        ],
    ),
    function(
        "reverse_each",
        "Gives the items from the last to the first, or calls a lambda for them.",
        &[
            plain(&[req("Iterable", "iterable")], reverse_each),
            with_block(&[req("Iterable", "iterable")], "Callable[1, 1]", reverse_each_block),
        ],
    ),
    function(
        "step",
        "Gives every n-th item, or calls a lambda for them.",
        &[
            plain(&[req("Iterable", "iterable"), req("Integer[1]", "step")], step),
            with_block(
                &[req("Iterable", "iterable"), req("Integer[1]", "step")],
                "Callable[1, 1]",
                step_block,
            ),
        ],
    ),
    function(
        "lest",
        "Gives a value, or a lambda's value if it is undef.",
        &[with_block(&[req("Any", "arg")], "Callable[0, 0]", lest)],
    ),
    function(
        "then",
        "Gives a lambda's value for a value that is not undef.",
        &[with_block(&[req("Any", "arg")], "Callable[1, 1]", then)],
    ),
    function(
        "with",
        "Calls a lambda with the arguments.",
        &[with_block(&[rep("Any", "arg")], "Callable", with)],
    ),
    function(
        "tree_each",
        "Goes over a nested structure and gives a path and a value for each of its nodes.",
        &[
            with_block(TREE, "Callable[2, 2]", |c| crate::functions::tree::each(c, true)),
            with_block(TREE, "Callable[1, 1]", |c| crate::functions::tree::each(c, false)),
            plain(TREE, crate::functions::tree::iterator),
        ],
    ),
];

const TREE: &[crate::functions::Param] =
    &[req("Variant[Iterator, Array, Hash, Object]", "tree"), opt("OptionsType", "options")];

const fn any_block(
    params: &'static [crate::functions::Param],
    body: crate::functions::Body,
) -> Dispatch {
    with_opt_block(params, "Callable", body)
}

/// `any` when `wanted`, `all` otherwise: the first value that decides ends the search.
fn quantify(call: &mut Call<'_, '_>, two: bool, wanted: bool) -> EvalResult {
    let mut found = false;
    visit(call, two, false, |_, value| {
        found = value.is_true() == wanted;
        Ok(!found)
    })?;
    Ok(Value::Bool(found == wanted))
}

fn each(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    visit(call, two, true, |_, _| Ok(true))?;
    Ok(call.take(0))
}

fn filter_hash(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let mut kept = HashValue::default();
    visit(call, two, false, |entry, value| {
        if value.is_true() {
            kept.insert(entry.key.clone(), entry.value.clone());
        }
        Ok(true)
    })?;
    Ok(Value::Hash(Arc::new(kept)))
}

fn filter(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let mut kept = Vec::new();
    visit(call, two, true, |entry, value| {
        if value.is_true() {
            limit(kept.len() as u64)?;
            kept.push(entry.item());
        }
        Ok(true)
    })?;
    Ok(Value::array(kept))
}

fn map(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let mut values = Vec::new();
    visit(call, two, true, |_, value| {
        limit(values.len() as u64)?;
        values.push(value);
        Ok(true)
    })?;
    Ok(Value::array(values))
}

fn reduce(call: &mut Call<'_, '_>) -> EvalResult {
    let mut items = Items::of(call.arg(0))?;
    let mut memo = match call.given(1) {
        Some(memo) => memo.clone(),
        None => items.next().map(|entry| entry.item()).unwrap_or_default(),
    };
    for (round, entry) in items.enumerate() {
        check_round(round)?;
        match call.iterate(&[memo.clone(), entry.item()])? {
            Some(value) => memo = value,
            None => break,
        }
    }
    Ok(memo)
}

fn slice(call: &mut Call<'_, '_>) -> EvalResult {
    let size = usize::try_from(call.int(1).unwrap_or(1)).unwrap_or(1);
    let filler = if call.arg(0).as_hash().is_some() { Value::array([]) } else { Value::Undef };
    let serving = serving_size(call, size)?;
    limit(serving as u64)?;
    let mut items = Items::of(call.arg(0))?;
    if call.block.is_none() {
        limit(items.remaining())?;
    }
    // An iterator whose count says that it is empty becomes one group.
    let length = match items.stated_len() {
        0 => usize::MAX,
        stated_len => size.min(stated_len),
    };
    let mut groups = Vec::new();
    loop {
        let mut group: Vec<Value> = items.by_ref().take(length).map(|e| e.item()).collect();
        if group.is_empty() {
            break;
        }
        if call.block.is_none() {
            limit(groups.len() as u64)?;
            groups.push(Value::array(group));
            continue;
        }
        let value = if serving == 1 {
            call.iterate(&[Value::array(group)])?
        } else {
            group.resize(serving, filler.clone());
            call.iterate(&group)?
        };
        if value.is_none() {
            break;
        }
    }
    if call.block.is_some() { Ok(call.take(0)) } else { Ok(Value::array(groups)) }
}

/// The number of arguments for the lambda of `slice`.
fn serving_size(call: &Call<'_, '_>, size: usize) -> EvalResult<usize> {
    let Some(block) = &call.block else { return Ok(1) };
    let signature = &block.signature;
    let count = if signature.max() == Some(signature.min()) { signature.min() } else { size };
    if count == 0 {
        return fail("slice(): block must define at least one parameter. Block has 0.");
    }
    if count != 1 && count != size {
        let names: Vec<&str> = signature.params.iter().map(|p| p.name.as_str()).collect();
        return fail(format!(
            "slice(): block must define one parameter, or the same number of parameters as the given \
             size of the slice ({size}). Block has {count}; {}",
            names.join(", ")
        ));
    }
    Ok(count)
}

fn group_by(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let mut groups: IndexMap<Value, Vec<Value>, rustc_hash::FxBuildHasher> = IndexMap::default();
    visit(call, two, false, |entry, value| {
        groups.entry(value).or_default().push(entry.item());
        Ok(true)
    })?;
    let groups = groups.into_iter().map(|(k, v)| (k, Value::array(v)));
    Ok(Value::Hash(Arc::new(groups.collect())))
}

fn partition(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    visit(call, two, false, |entry, value| {
        let side = if value.is_true() { &mut yes } else { &mut no };
        side.push(entry.item());
        Ok(true)
    })?;
    Ok(Value::array([Value::array(yes), Value::array(no)]))
}

fn index_by(call: &mut Call<'_, '_>, two: bool) -> EvalResult {
    for (round, entry) in Items::of(call.arg(0))?.enumerate() {
        check_round(round)?;
        let one = [entry.value.clone()];
        let value =
            if two { call.yield_block(&entry.arguments(true))? } else { call.yield_block(&one)? };
        if value.is_true() {
            return Ok(entry.key);
        }
    }
    Ok(Value::Undef)
}

fn index_in_text(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    let at = match call.arg(1) {
        Value::Str(part) => text.find(part.as_str()),
        other => {
            let pattern = regexp_of(other).unwrap_or_default();
            regex(&pattern)?.find(&text).map_err(crate::functions::support::wrap)?.map(|m| m.start)
        }
    };
    Ok(at.map_or(Value::Undef, |at| Value::Int(text[..at].chars().count() as i64)))
}

fn index_of(call: &mut Call<'_, '_>) -> EvalResult {
    let wanted = call.arg(1).clone();
    if let Value::Array(items) = call.arg(0) {
        let at = items.iter().position(|item| ruby_equal(item, &wanted));
        let looked = at.unwrap_or(items.len()) as u64;
        call.compiler.budget.spend(looked / ITEMS_A_STEP)?;
        return Ok(at.map_or(Value::Undef, |at| Value::Int(at as i64)));
    }
    for (round, entry) in Items::of(call.arg(0))?.enumerate() {
        check_round(round)?;
        if ruby_equal(&entry.value, &wanted) {
            return Ok(entry.key);
        }
    }
    Ok(Value::Undef)
}

fn reverse_each(call: &mut Call<'_, '_>) -> EvalResult {
    let items = Items::of(call.arg(0))?;
    limit(items.remaining())?;
    let element = Arc::new(element_type(call.arg(0)));
    let stated_len = match *element {
        Type::Integer(_) => items.stated_len(),
        _ => usize::try_from(items.remaining()).unwrap_or(usize::MAX),
    };
    let items = items.rev().map(|entry| entry.item()).collect();
    Ok(Value::Iterator(Arc::new(IteratorValue { items, element, stated_len })))
}

fn reverse_each_block(call: &mut Call<'_, '_>) -> EvalResult {
    for (round, entry) in Items::of(call.arg(0))?.rev().enumerate() {
        check_round(round)?;
        if call.iterate(&[entry.item()])?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

fn step_size(call: &Call<'_, '_>) -> usize {
    call.int(1).and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(1)
}

fn step(call: &mut Call<'_, '_>) -> EvalResult {
    let items = Items::of(call.arg(0))?;
    let size = step_size(call);
    limit(items.remaining() / size as u64)?;
    let kind = element_type(call.arg(0));
    let stated_len = items.stated_len() / size;
    let items: Vec<Value> = items.step_by(size).map(|entry| entry.item()).collect();
    let element = Arc::new(stepped(kind, &items));
    let stated_len = match *element {
        Type::Integer(_) => items.len().saturating_sub(1),
        _ => stated_len,
    };
    Ok(Value::Iterator(Arc::new(IteratorValue { items, element, stated_len })))
}

/// The type of the rest of a range: up to the last of the items.
fn stepped(kind: Type, items: &[Value]) -> Type {
    match (&kind, items) {
        (Type::Integer(_), [Value::Int(first), .., Value::Int(last)]) => {
            Type::Integer(IntRange::new(*first.min(last), *first.max(last)))
        }
        (Type::Integer(_), [Value::Int(only)]) => Type::Integer(IntRange::new(*only, *only)),
        _ => kind,
    }
}

fn step_block(call: &mut Call<'_, '_>) -> EvalResult {
    for (round, entry) in Items::of(call.arg(0))?.step_by(step_size(call)).enumerate() {
        check_round(round)?;
        if call.iterate(&[entry.item()])?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

fn lest(call: &mut Call<'_, '_>) -> EvalResult {
    if call.arg(0).is_undef() { call.yield_block(&[]) } else { Ok(call.take(0)) }
}

fn then(call: &mut Call<'_, '_>) -> EvalResult {
    let value = call.take(0);
    if value.is_undef() { Ok(value) } else { call.yield_block(&[value]) }
}

fn with(call: &mut Call<'_, '_>) -> EvalResult {
    let args = std::mem::take(&mut call.args);
    // A lambda ignores arguments that it has no parameters for.
    let most = call.block.as_ref().and_then(|block| {
        let params = block.program.params(block.program.lambda(block.lambda).params);
        let takes_rest = params.last().is_some_and(|param| param.captures_rest);
        (!takes_rest).then_some(params.len())
    });
    let taken = most.map_or(args.len(), |most| most.min(args.len()));
    call.yield_block(&args[..taken])
}
