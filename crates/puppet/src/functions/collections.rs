//! Functions on lists and hashes that do not need a lambda.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::iterate::{Items, chars, limit};
use crate::functions::support::{function, ruby_inspect, ruby_text};
use crate::functions::{Function, explaining, opt, plain, rep, req, with_opt_block};
use crate::state::budget::check_length;
use crate::state::evaluate::Evaluate;
use crate::types::infer;
use crate::value::{HashValue, Value};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "dig",
        "Walks into nested collections by keys and positions.",
        &[plain(&[req("Optional[Collection]", "data"), rep("Any", "arg")], dig)],
    ),
    function(
        "empty",
        "Tells whether a collection or text is empty.",
        &[
            plain(&[req("Collection", "coll")], empty),
            plain(&[req("Sensitive[String]", "str")], empty),
            plain(&[req("String", "str")], empty),
            plain(&[req("Numeric", "num")], empty_number),
            plain(&[req("Binary", "bin")], empty),
            plain(&[req("Undef", "x")], |_| Ok(Value::Bool(true))),
        ],
    ),
    function(
        "flatten",
        "Gives the arguments as one list without inner lists.",
        &[plain(&[rep("Any", "args")], |c| Ok(Value::array(flat(&c.args)?)))],
    ),
    function(
        "get",
        "Walks into a value by a path of keys and positions with dots between.",
        &[with_opt_block(
            &[req("Any", "value"), req("String", "dotted_string"), opt("Any", "default_value")],
            "Callable[1, 1]",
            get,
        )],
    ),
    function(
        "getvar",
        "Walks into a variable by a path that begins with its name.",
        &[
            with_opt_block(
                &[
                    req(r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/]", "get_string"),
                    opt("Any", "default_value"),
                ],
                "Callable[1, 1]",
                getvar,
            ),
            explaining(&[req("String", "get_string"), opt("Any", "default_value")], |_| {
                fail("'getvar' The given string does not start with a valid variable name")
            }),
        ],
    ),
    function(
        "join",
        "Joins the items of a list to one text.",
        &[plain(&[req("Array", "arg"), opt("String", "delimiter")], join)],
    ),
    function(
        "keys",
        "Gives the keys of a hash.",
        &[plain(&[req("Hash", "hsh")], |c| Ok(Value::array(c.hash(0).keys().cloned())))],
    ),
    function(
        "values",
        "Gives the values of a hash.",
        &[plain(&[req("Hash", "hsh")], |c| Ok(Value::array(c.hash(0).values().cloned())))],
    ),
    function(
        "length",
        "Gives the number of items, characters or bytes.",
        &[
            plain(&[req("Collection", "arg")], length),
            plain(&[req("String", "arg")], length),
            plain(&[req("Binary", "arg")], length),
        ],
    ),
    function(
        "size",
        "Gives the number of items, characters or bytes.",
        &[plain(&[req("Variant[Collection, String, Binary]", "arg")], length)],
    ),
    function(
        "unique",
        "Removes duplicates.",
        &[
            with_opt_block(&[req("String", "string")], "Callable[String]", unique),
            with_opt_block(&[req("Hash", "hash")], "Callable[Any]", unique_hash),
            with_opt_block(&[req("Array", "array")], "Callable[Any]", unique),
            with_opt_block(&[req("Iterable", "iterable")], "Callable[Any]", unique),
        ],
    ),
];

/// The failure of a step of a path into a value.
struct PathError {
    /// The text, as Puppet words it.
    message: String,
    /// The step that fails.
    step: usize,
    /// Whether a list got a key that is not an integer; otherwise the part is not a collection.
    is_index: bool,
}

/// Walks into a value.
fn dig_path(data: &Value, path: &[Value]) -> Result<Value, PathError> {
    let mut at = data.clone();
    for (i, key) in path.iter().enumerate() {
        if at.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        let walked = |upto: usize| ruby_inspect(&Value::array(path[..upto].iter().cloned()));
        at = match (&at, key) {
            (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
            (Value::Array(items), Value::Int(n)) => item_at(items, *n),
            (Value::Array(_), key) => {
                let message = format!(
                    "The given data requires an Integer index at {}, got '{}'",
                    walked(i + 1),
                    crate::functions::support::text_of_type(&infer(key))
                );
                return Err(PathError { message, step: i, is_index: true });
            }
            (other, _) => {
                let message = format!(
                    "The given data does not contain a Collection at {}, got '{}'",
                    walked(i),
                    crate::functions::support::text_of_type(&infer(other))
                );
                return Err(PathError { message, step: i, is_index: false });
            }
        };
    }
    Ok(at)
}

fn item_at(items: &[Value], n: i64) -> Value {
    let at = if n < 0 { n + items.len() as i64 } else { n };
    usize::try_from(at).ok().and_then(|at| items.get(at)).cloned().unwrap_or_default()
}

fn dig(call: &mut Call<'_, '_>) -> EvalResult {
    dig_path(call.arg(0), &call.args[1..]).or_else(|error| fail(error.message))
}

fn empty(call: &mut Call<'_, '_>) -> EvalResult {
    let value = match call.arg(0) {
        Value::Sensitive(inner) => inner,
        value => value,
    };
    Ok(Value::Bool(count(value) == 0))
}

fn empty_number(call: &mut Call<'_, '_>) -> EvalResult {
    let message = "Calling function empty() with Numeric value is deprecated.";
    let (span, key) = (call.span, format!("empty-{:?}", call.span));
    call.compiler.warn_once(&key, message, Some(span));
    Ok(Value::Bool(false))
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Hash(entries) => entries.len(),
        Value::Str(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        Value::Iterator(iterator) => iterator.items.len(),
        _ => 0,
    }
}

fn length(call: &mut Call<'_, '_>) -> EvalResult {
    Ok(Value::Int(count(call.arg(0)) as i64))
}

/// All items of nested lists in one list.
///
/// # Errors
/// When there are too many.
pub fn flat(values: &[Value]) -> EvalResult<Vec<Value>> {
    let mut out = Vec::new();
    let mut open = vec![values.iter()];
    while let Some(items) = open.last_mut() {
        match items.next() {
            Some(Value::Array(inner)) => open.push(inner.iter()),
            Some(value) => {
                limit(out.len() as u64)?;
                out.push(value.clone());
            }
            None => {
                open.pop();
            }
        }
    }
    Ok(out)
}

/// The segments of a path: text between dots, positions as integers, quotes keep dots.
fn segments(path: &str) -> Option<Vec<Value>> {
    let mut out = Vec::new();
    let mut rest = path;
    loop {
        let (segment, after) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let end = rest[1..].find(quote)? + 1;
                (Value::str(&rest[1..end]), &rest[end + 1..])
            }
            _ => {
                let end = rest.find('.').unwrap_or(rest.len());
                if end == 0 || rest[..end].contains(['"', '\'']) {
                    return None;
                }
                let text = &rest[..end];
                let is_index =
                    text.strip_prefix('-').unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
                let index = if is_index { text.parse().ok() } else { None };
                (index.map_or_else(|| Value::str(text), Value::Int), &rest[end..])
            }
        };
        out.push(segment);
        if after.is_empty() {
            return Some(out);
        }
        rest = after.strip_prefix('.')?;
    }
}

fn get(call: &mut Call<'_, '_>) -> EvalResult {
    let (value, path) = (call.take(0), call.str(1));
    get_path(call, &value, &path, 2)
}

fn get_path(call: &mut Call<'_, '_>, value: &Value, path: &str, default: usize) -> EvalResult {
    if value.is_undef() {
        return Ok(call.take(default));
    }
    if path.is_empty() {
        return Ok(value.clone());
    }
    let Some(segments) = segments(path) else {
        return fail("Syntax error in dotted-navigation string");
    };
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        // `dig` checks the first step itself; only the errors of later steps are passed to the
        // lambda.
        let args = std::iter::once(value.clone()).chain(segments).collect();
        return call.compiler.call_function("dig", args, None, call.scope, call.span);
    }
    match dig_path(value, &segments) {
        Ok(Value::Undef) => Ok(call.take(default)),
        Ok(found) => Ok(found),
        Err(error) if call.block.is_some() => {
            let error = path_error(&error, value, &segments);
            call.yield_block(&[error])
        }
        Err(error) => fail(error.message),
    }
}

/// The error as the value that the lambda of `get` sees.
fn path_error(error: &PathError, data: &Value, path: &[Value]) -> Value {
    let &PathError { ref message, step, is_index } = error;
    let code = if is_index { "EXPECTED_INTEGER_INDEX" } else { "EXPECTED_COLLECTION" };
    let walked = path[..step + usize::from(is_index)].to_vec();
    let (name, kind) = if is_index {
        ("index_type", infer(&path[step]))
    } else {
        ("value_type", infer(&dig_path(data, &path[..step]).unwrap_or_default()))
    };
    let details = [("walked_path", Value::array(walked)), (name, Value::of_type(kind))];
    crate::functions::control::error_value(message, "SLICE_ERROR", Value::hash(details), code)
}

fn getvar(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    let is_name = |c: char| c == ':' || c == '_' || c.is_alphanumeric();
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = match rest.chars().next() {
        None => "",
        Some('.') => &rest[1..],
        Some(c) => {
            return fail(format!(
                "First character after var name in get string must be a '.' - got {c}"
            ));
        }
    };
    // A key in quotes or a number ends the noted path early, which is safe.
    let keys = path.split('.').take_while(|key| !key.is_empty() && !key.contains(['"', '\'']));
    call.compiler.note_entry(call.scope, name, keys);
    match call.compiler.quiet_variable(call.scope, name).cloned() {
        Some(value) => get_path(call, &value, path, 1),
        None => Ok(call.take(1)),
    }
}

fn join(call: &mut Call<'_, '_>) -> EvalResult {
    let separator = call.str(1);
    Ok(Value::from(join_values(&call.array(0), &separator)?))
}

/// The texts of the values with a separator, inner lists included.
///
/// # Errors
/// When there are too many values, or the text is too long.
pub fn join_values(values: &[Value], separator: &str) -> EvalResult<String> {
    let mut out = String::new();
    join_into(&mut out, values, separator, 0)?;
    Ok(out)
}

/// The maximal nesting of lists that are joined.
const MAX_DEPTH: usize = 1000;

/// Joins nested lists as separate texts, which may be empty.
fn join_into(out: &mut String, values: &[Value], separator: &str, depth: usize) -> EvalResult<()> {
    if depth > MAX_DEPTH {
        return fail(format!("lists nested deeper than {MAX_DEPTH} cannot be joined"));
    }
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        match value {
            Value::Str(text) => out.push_str(text),
            Value::Array(items) => join_into(out, items, separator, depth + 1)?,
            other => out.push_str(&ruby_text(other)),
        }
        check_length(out.len())?;
    }
    Ok(())
}

fn unique(call: &mut Call<'_, '_>) -> EvalResult {
    let is_text = call.arg(0).as_str().is_some();
    let values = match call.arg(0) {
        Value::Str(text) => chars(text),
        other => Items::of(other)?.into_values()?,
    };
    // Of one item Ruby asks nothing.
    let alone = values.len() < 2 && (is_text || call.arg(0).as_array().is_some());
    let kept = if call.block.is_none() || alone {
        values.into_iter().collect::<IndexSet<Value, FxBuildHasher>>().into_iter().collect()
    } else {
        let mut seen: IndexSet<Value, FxBuildHasher> = IndexSet::default();
        let mut kept = Vec::new();
        for value in values {
            if seen.insert(call.yield_block(std::slice::from_ref(&value))?) {
                kept.push(value);
            }
        }
        kept
    };
    if is_text {
        let text: EcoString = kept.iter().filter_map(Value::as_str).collect();
        return Ok(Value::Str(text));
    }
    Ok(Value::array(kept))
}

fn unique_hash(call: &mut Call<'_, '_>) -> EvalResult {
    let mut groups: IndexMap<Value, (Vec<Value>, IndexSet<Value, FxBuildHasher>), FxBuildHasher> =
        IndexMap::default();
    for (key, value) in call.hash(0).iter() {
        let by = if call.block.is_some() {
            call.yield_block(std::slice::from_ref(value))?
        } else {
            value.clone()
        };
        let group = groups.entry(by).or_default();
        group.0.push(key.clone());
        group.1.insert(value.clone());
    }
    let inverted = groups.into_values().map(|(k, v)| (Value::array(k), Value::array(v)));
    Ok(Value::Hash(Arc::new(inverted.collect::<HashValue>())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_have_quoted_segments_and_positions() {
        let path = segments("a.'b.c'.-1.\"d\"").unwrap();
        assert_eq!(path, [Value::str("a"), Value::str("b.c"), Value::Int(-1), Value::str("d")]);
        assert!(segments("a..b").is_none());
        assert!(segments("a.'b").is_none());
    }

    #[test]
    fn joining_goes_into_lists() {
        let inner = Value::array([Value::Int(2), Value::Undef]);
        assert_eq!(join_values(&[Value::str("a"), inner], ",").unwrap(), "a,2,");
    }
}
