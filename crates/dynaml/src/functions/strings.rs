//! Functions on text.

use std::rc::Rc;

use ecow::EcoString;
use ordain_source::limits::{most_items, most_text};

use super::support::{eager, fail, items, rewriting};
use crate::diagnostics::stop::{Eval, FailureKind, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::value::{Lambda, Value};

/// The text of an argument.
pub(super) fn text<'v>(value: &'v Value, message: &str) -> Eval<&'v EcoString> {
    match value {
        Value::Str(s) => Ok(s),
        _ => fail(message),
    }
}

fn join(call: &mut Call<'_, '_>) -> Eval<Value> {
    let mut parts: Vec<EcoString> = Vec::new();
    for (at, value) in call.args.iter().enumerate() {
        match value {
            Value::Null => {}
            Value::List(_) if at == 0 => return fail("first argument for join must be a string"),
            Value::List(list) => {
                for item in &list.items {
                    match item.value.simple_text() {
                        Some(text) => parts.push(text),
                        None => {
                            return fail(format!(
                                "elements of list(arg {at}) to join must be simple values"
                            ));
                        }
                    }
                }
            }
            other => match other.simple_text() {
                Some(text) => parts.push(text),
                None => return fail(format!("argument {at} to join must be simple value or list")),
            },
        }
    }
    let Some((separator, parts)) = parts.split_first() else {
        return fail("first argument for join must be a string");
    };
    let length: usize = parts.iter().map(|p| p.len() + separator.len()).sum();
    if length > most_text() {
        return fail("the text has grown too long");
    }
    Ok(Value::str(parts.join(separator)))
}

/// The optional number of pieces, matches or replacements; -1 is unlimited.
fn limit(value: Option<&Value>, message: &str) -> Eval<i64> {
    match value {
        None => Ok(-1),
        Some(Value::Int(n)) => Ok(*n),
        Some(_) => fail(message),
    }
}

fn split(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [separator, rest @ ..] = call.args else { return fail("split takes 2 or 3 arguments") };
    let [string, rest @ ..] = rest else { return fail("split takes 2 or 3 arguments") };
    if rest.len() > 1 {
        return fail("split takes 2 or 3 arguments");
    }
    let string = text(string, "second argument for split must be a string")?;
    let most = limit(rest.first(), "third argument for split must be an integer")?;
    let parts = match separator {
        Value::Str(separator) => split_at(string, separator, most),
        Value::Int(length) if *length <= 0 => {
            return fail("max line length argument must be positive");
        }
        Value::Int(length) => chunks(string, *length, most),
        _ => return fail("first argument for split must be a string"),
    };
    if parts.len() > most_items() {
        return fail("the list has grown too long");
    }
    Ok(Value::list(parts.into_iter().map(Value::str)))
}

fn split_at<'t>(string: &'t str, separator: &str, most: i64) -> Vec<&'t str> {
    if most == 0 {
        return Vec::new();
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if !separator.is_empty() {
        return string.splitn(most, separator).collect();
    }
    let mut parts = Vec::new();
    let mut rest = string;
    while let Some(c) = rest.chars().next() {
        if parts.len() + 1 >= most {
            parts.push(rest);
            break;
        }
        let (first, after) = rest.split_at(c.len_utf8());
        parts.push(first);
        rest = after;
    }
    parts
}

/// Pieces of this many characters; of `most` pieces the last takes the rest.
fn chunks(string: &str, length: i64, most: i64) -> Vec<&str> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut rest = string;
    let mut left = most;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let end = if (0..=1).contains(&left) { rest.len() } else { end };
        let (piece, after) = rest.split_at(end);
        parts.push(piece);
        rest = after;
        left = left.saturating_sub(1).max(-1);
        if most >= 0 && left < 0 {
            left = 0;
        }
    }
    parts
}

fn split_match(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (pattern, string, rest) = match call.args {
        [pattern, string, rest @ ..] if rest.len() < 2 => (pattern, string, rest),
        _ => return fail("split_match takes 2 or 3 arguments"),
    };
    let pattern = text(pattern, "first argument for split_match must be a string")?;
    let string = text(string, "second argument for split_match must be a string")?;
    let most = limit(rest.first(), "third argument for split must be an integer")?;
    let regex = call.ev.cache.pattern(pattern);
    let regex = regex.or_else(|e| fail(format!("split_match: {e}")))?;
    if most == 0 {
        return Ok(Value::list([]));
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut from = 0;
    if pattern.is_empty() || !string.is_empty() {
        for found in regex.find_iter(string) {
            if parts.len() + 1 >= most {
                break;
            }
            let empty = found.is_empty();
            if empty && (found.start() == 0 || found.start() == string.len()) {
                continue;
            }
            parts.push(&string[from..found.start()]);
            from = found.end();
        }
        parts.push(&string[from..]);
    } else {
        parts.push("");
    }
    Ok(Value::list(parts.into_iter().map(Value::str)))
}

fn trim(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (value, set) = match call.args {
        [value] => (value, " \t"),
        [value, set] => (value, text(set, "second argument of split must be a string")?.as_str()),
        _ => return fail("split takes one or two arguments"),
    };
    let cut = |s: &str| Value::str(s.trim_matches(|c| set.contains(c)));
    match value {
        Value::Str(s) => Ok(cut(s)),
        Value::List(list) => {
            let mut out = Vec::with_capacity(list.items.len());
            for item in &list.items {
                out.push(cut(text(&item.value, "list elements must be strings to be trimmed")?));
            }
            Ok(Value::list(out))
        }
        _ => fail("trim accepts only a string or list"),
    }
}

/// The arguments of `replace` and `replace_match`.
fn replacement<'a>(
    args: &'a [Value],
    name: &str,
) -> Eval<(&'a EcoString, &'a EcoString, &'a Value, i64)> {
    match args {
        [string, what, with, rest @ ..] if rest.len() < 2 => {
            let string = text(string, &format!("first argument for {name} must be a string"))?;
            let what = text(what, &format!("second argument for {name} must be a string"))?;
            let message = format!("fourth argument for {name} must be an integer");
            Ok((string, what, with, limit(rest.first(), &message)?))
        }
        [_, _, _, ..] => fail(format!("{name} does not take more than 4 arguments")),
        _ => fail(format!("{name} requires at least 3 arguments")),
    }
}

/// The replacement of a match.
enum Replacement {
    Text(EcoString),
    Lambda(Rc<Lambda>),
}

fn with(value: &Value, name: &str) -> Eval<Replacement> {
    match value {
        Value::Str(s) => Ok(Replacement::Text(s.clone())),
        Value::Lambda(lambda) => Ok(Replacement::Lambda(Rc::clone(lambda))),
        _ => fail(format!("{name}: replace substitution must be string or lambda")),
    }
}

/// The result of a lambda for the groups of a match.
fn expand(call: &mut Call<'_, '_>, lambda: &Rc<Lambda>, groups: Vec<Value>) -> Eval<EcoString> {
    let args = vec![(None, Value::list(groups).into())];
    let env = call.env;
    let result = call.ev.aside(call.info, |ev, info| ev.apply(lambda, args, env, info));
    let result = result.map_err(|stop| match stop {
        Stop::Failed(issue) if issue.kind != FailureKind::Limit => {
            Stop::failed(format!("replace: replace: {}", issue.text))
        }
        stop => stop,
    });
    match result? {
        Value::Str(s) => Ok(s),
        _ => fail("replace: replace: lambda must return a string"),
    }
}

fn replace(call: &mut Call<'_, '_>) -> Eval<Value> {
    let args = call.args;
    let (string, what, with_value, most) = replacement(args, "replace")?;
    let with = match with_value {
        Value::Str(_) | Value::Lambda(_) => with(with_value, "replace")?,
        _ => return fail("third argument for replace must be a string"),
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let positions: Vec<usize> = if what.is_empty() {
        let ends = std::iter::once(string.len());
        string.char_indices().map(|(at, _)| at).chain(ends).take(most).collect()
    } else {
        string.match_indices(what.as_str()).map(|(at, _)| at).take(most).collect()
    };
    let mut out = String::new();
    let mut from = 0;
    for at in positions {
        out.push_str(&string[from..at]);
        match &with {
            Replacement::Text(text) => out.push_str(text),
            Replacement::Lambda(lambda) => {
                let lambda = Rc::clone(lambda);
                out.push_str(&expand(call, &lambda, vec![Value::Str(what.clone())])?);
            }
        }
        if out.len() > most_text() {
            return fail("the text has grown too long");
        }
        from = at + what.len();
    }
    out.push_str(&string[from..]);
    Ok(Value::str(out))
}

fn replace_match(call: &mut Call<'_, '_>) -> Eval<Value> {
    let args = call.args;
    let (string, pattern, with_value, most) = replacement(args, "replace_match")?;
    let regex = call.ev.cache.pattern(pattern);
    let regex = regex.or_else(|e| fail(format!("replace_match: {e}")))?;
    let with = with(with_value, "replace_match")?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut out = String::new();
    let mut from = 0;
    for found in regex.captures_iter(string).take(most) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&string[from..whole.start()]);
        match &with {
            Replacement::Text(text) => found.expand(text, &mut out),
            Replacement::Lambda(lambda) => {
                let groups = found.iter().map(|g| Value::str(g.map_or("", |g| g.as_str())));
                let groups = groups.collect();
                out.push_str(&expand(call, &Rc::clone(lambda), groups)?);
            }
        }
        if out.len() > most_text() {
            return fail("the text has grown too long");
        }
        from = whole.end();
    }
    out.push_str(&string[from..]);
    Ok(Value::str(out))
}

fn find_matches(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (pattern, value, rest) = match call.args {
        [pattern, value, rest @ ..] if rest.len() < 2 => (pattern, value, rest),
        _ => return fail("match takes two or three arguments"),
    };
    let name = call.ev.words("subexp", "match");
    let message = format!("pattern string for argument one of function {name} required");
    let pattern = text(pattern, &message)?;
    let message = format!("simple value for argument two of function {name} required");
    if matches!(value, Value::Null) {
        return Ok(Value::Bool(false));
    }
    let most = match rest.first() {
        None => None,
        Some(Value::Int(0)) => return fail("repetition count may not be zero"),
        Some(Value::Int(n)) => Some(usize::try_from(*n).unwrap_or(usize::MAX)),
        Some(Value::Bool(all)) => Some(if *all { usize::MAX } else { 1 }),
        Some(_) => return fail(message),
    };
    let Some(string) = value.simple_text() else { return fail(message) };
    let regex = call.ev.cache.pattern(pattern);
    let plain = call.ev.options.dialect == crate::options::Dialect::Spiff;
    let regex = regex.or_else(|e| fail(if plain { e } else { format!("match: {e}") }))?;
    let groups = |found: regex::Captures<'_>| {
        Value::list(found.iter().map(|g| Value::str(g.map_or("", |g| g.as_str()))))
    };
    match most {
        None => Ok(regex.captures(&string).map_or_else(|| Value::list([]), groups)),
        Some(most) => {
            let mut out = Vec::new();
            let mut nodes = 0;
            for found in regex.captures_iter(&string).take(most) {
                nodes += found.len();
                if nodes > most_items() {
                    return fail("the list has grown too long");
                }
                out.push(groups(found));
            }
            Ok(Value::list(out))
        }
    }
}

fn substr(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (string, start, end) = match call.args {
        [string, start] => (string, start, None),
        [string, start, end] => (string, start, Some(end)),
        _ => return fail("substr takes two to three arguments"),
    };
    let string = text(string, "first argument for substr must be a string")?;
    let Value::Int(start) = start else {
        return fail("second argument for substr must be an integer");
    };
    let length = i64::try_from(string.len()).unwrap_or(i64::MAX);
    let end = match end {
        None => length,
        Some(Value::Int(end)) => *end,
        Some(_) => return fail("third argument for substr must be an integer"),
    };
    let effective = |n: i64| if n < 0 { n.saturating_add(length) } else { n };
    let (from, to) = (effective(*start), effective(end));
    if to > length {
        return fail(format!("substr effective end index ({to}) exceeds string length ({length})"));
    }
    if from < 0 {
        return fail(format!("negative substr effective start index ({from})"));
    }
    if from > to {
        return fail(format!("substr start index ({from}) aftsre end index ({to}) "));
    }
    let range = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
    match string.get(range) {
        Some(part) => Ok(Value::str(part)),
        None => fail(format!("substr {from} to {to} cuts inside of a character")),
    }
}

fn cased(call: &mut Call<'_, '_>, name: &str, change: fn(&str) -> String) -> Eval<Value> {
    let [value] = call.args else { return fail(format!("{name} requires one argument")) };
    let message = format!("first argument for {name} must be a string");
    Ok(Value::str(change(text(value, &message)?)))
}

fn upper(call: &mut Call<'_, '_>) -> Eval<Value> {
    cased(call, "upper", str::to_uppercase)
}

fn lower(call: &mut Call<'_, '_>) -> Eval<Value> {
    cased(call, "lower", str::to_lowercase)
}

fn length(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("length takes exactly 1 argument") };
    let length = match value {
        Value::Str(s) => s.len(),
        Value::List(list) => list.items.len(),
        Value::Map(map) => map.entries().len(),
        _ => return fail("invalid type for function length"),
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// The position of an element in a list, or of a part in a text.
fn position(call: &Call<'_, '_>, name: &str, last: bool) -> Eval<Option<usize>> {
    let [value, wanted] = call.args else {
        return fail(format!("function {name} takes exactly two arguments"));
    };
    match value {
        Value::List(_) if matches!(wanted, Value::Null) => Ok(None),
        Value::List(_) => {
            let mut all = items(value).unwrap_or_default().iter();
            let ev = &*call.ev;
            Ok(if last {
                all.rposition(|i| ev.same(&i.value, wanted))
            } else {
                all.position(|i| ev.same(&i.value, wanted))
            })
        }
        Value::Str(s) => match wanted.simple_text() {
            Some(wanted) if last => Ok(s.rfind(wanted.as_str())),
            Some(wanted) => Ok(s.find(wanted.as_str())),
            None => fail("invalid type for check string"),
        },
        _ => fail(format!("list or string expected for argument one of function {name}")),
    }
}

fn contains(call: &mut Call<'_, '_>) -> Eval<Value> {
    if let [Value::Map(map), wanted] = call.args {
        let found = wanted.as_str().is_some_and(|key| map.get(key).is_some());
        return Ok(Value::Bool(found));
    }
    Ok(Value::Bool(position(call, "contains", false)?.is_some()))
}

fn at(position: Option<usize>) -> Value {
    Value::Int(position.and_then(|n| i64::try_from(n).ok()).unwrap_or(-1))
}

fn index(call: &mut Call<'_, '_>) -> Eval<Value> {
    position(call, "index", false).map(at)
}

fn lastindex(call: &mut Call<'_, '_>) -> Eval<Value> {
    position(call, "index", true).map(at)
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager(
            "join(separator, value...)",
            "The texts of values with a separator between them.",
            join,
        ),
        rewriting(eager(
            "split(separator, text, limit?)",
            "The parts of a text between separators.",
            split,
        )),
        rewriting(eager(
            "split_match(pattern, text, limit?)",
            "The parts of a text between matches of a pattern.",
            split_match,
        )),
        eager(
            "trim(text, characters?)",
            "A text, or all texts of a list, without blanks or characters at both ends.",
            trim,
        ),
        rewriting(eager("replace(text, old, new, limit?)", "A text with parts replaced.", replace)),
        rewriting(eager(
            "replace_match(text, pattern, new, limit?)",
            "A text with the matches of a pattern replaced.",
            replace_match,
        )),
        rewriting(eager(
            "match(pattern, text, limit?)",
            "The match of a pattern with its groups, or all matches.",
            find_matches,
        )),
        rewriting(eager("substr(text, start, end?)", "A part of a text.", substr)),
        rewriting(eager("upper(text)", "A text in upper case.", upper)),
        rewriting(eager("lower(text)", "A text in lower case.", lower)),
        eager(
            "length(value)",
            "The number of entries of a list or map, or of bytes of a text.",
            length,
        ),
        eager(
            "contains(container, value, repeat?)",
            "Whether a list, map or text contains a value.",
            contains,
        ),
        eager(
            "index(container, value)",
            "The first position of a value, -1 if there is none.",
            index,
        ),
        eager(
            "lastindex(container, value)",
            "The last position of a value, -1 if there is none.",
            lastindex,
        ),
    ]);
}
