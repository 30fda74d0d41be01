//! Filters for texts.

use std::sync::OnceLock;

use ordain_functions::text::is_python_space;

use super::super::arguments::{Arguments, BoundArguments};
use super::super::ast::{Binary, Comparison};
use super::super::fault::{Fault, Res, argument_error, type_error, value_error};
use super::super::methods;
use super::super::runtime::Runtime;
use super::super::value::{Entries, Val};
use crate::diagnostics::Exception;

/// MarkupSafe's `soft_str`: keeps escaped text.
fn soft(runtime: &mut Runtime<'_>, value: &Val) -> Res<Val> {
    if value.as_text().is_some() { Ok(value.clone()) } else { runtime.text(value).map(Val::Str) }
}

/// Calls a text method on a value.
fn with_method(
    runtime: &mut Runtime<'_>,
    value: &Val,
    name: &str,
    arguments: Vec<Val>,
) -> Res<Val> {
    let text = soft(runtime, value)?;
    runtime.method(&text, &name.into(), Arguments::of(arguments))
}

pub(super) fn capitalized(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    with_method(runtime, &bound.at(0), "capitalize", Vec::new())
}

pub(super) fn upper(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    with_method(runtime, &bound.at(0), "upper", Vec::new())
}

pub(super) fn lower(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    with_method(runtime, &bound.at(0), "lower", Vec::new())
}

pub(super) fn center(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let width = bound.get(1).cloned().unwrap_or(Val::Int(80));
    with_method(runtime, &bound.at(0), "center", vec![width])
}

pub(super) fn trim(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    with_method(runtime, &bound.at(0), "strip", vec![bound.at(1)])
}

pub(super) fn string(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    soft(runtime, &bound.at(0))
}

pub(super) fn title(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let text = runtime.text(&bound.at(0))?;
    let is_between = |c: char| is_python_space(c) || "-({[<".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut is_first = true;
    for c in text.chars() {
        if is_between(c) {
            out.push(c);
            is_first = true;
        } else if is_first {
            out.extend(c.to_uppercase());
            is_first = false;
        } else {
            out.extend(c.to_lowercase());
        }
    }
    Ok(Val::str(out))
}

pub(super) fn replace(
    runtime: &mut Runtime<'_>,
    bound: &BoundArguments,
    autoescape: bool,
) -> Res<Val> {
    let count = bound.some(3).map_or(Ok(-1), Val::as_index)?;
    let (value, old, new) = (bound.at(0), bound.at(1), bound.at(2));
    if !autoescape {
        let (text, old, new) = (runtime.text(&value)?, runtime.text(&old)?, runtime.text(&new)?);
        return runtime.replaced(&text, &old, &new, count).map(Val::str);
    }
    let is_escaped = old.is_markup() || (new.is_markup() && !value.is_markup());
    let text =
        if is_escaped { Val::Markup(runtime.escaped(&value)?) } else { soft(runtime, &value)? };
    let (old, new) = (soft(runtime, &old)?, soft(runtime, &new)?);
    runtime.method(&text, &"replace".into(), Arguments::of(vec![old, new, Val::Int(count)]))
}

pub(super) fn format(runtime: &mut Runtime<'_>, value: Val, arguments: Arguments) -> Res<Val> {
    let Arguments { positional, named } = arguments;
    if !positional.is_empty() && !named.is_empty() {
        return argument_error("can't handle positional and keyword arguments at the same time");
    }
    let text = soft(runtime, &value)?;
    let values = if named.is_empty() {
        Val::tuple(positional)
    } else {
        let mut entries = Entries::default();
        named.into_iter().for_each(|(name, value)| entries.set(&name, value));
        Val::dict(entries)
    };
    runtime.binary(Binary::Modulo, &text, &values)
}

pub(super) fn indent(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let is_markup = value.is_markup();
    let width = bound.get(1).cloned().unwrap_or(Val::Int(4));
    let indention = match &width {
        Val::Str(text) | Val::Markup(text) => Val::Str(text.clone()),
        width => runtime.binary(Binary::Multiply, &Val::str(" "), width)?,
    };
    if value.is_number() || matches!(value, Val::None) {
        let class = value.type_name();
        let text = format!("unsupported operand type(s) for +=: '{class}' and 'str'");
        return Err(type_error(text));
    }
    let whole = runtime.binary(Binary::Add, &value, &Val::text_like("\n", is_markup))?;
    let (Some(text), Some(indention)) = (whole.as_text(), indention.as_text()) else {
        let text = format!("'{}' object has no attribute 'splitlines'", whole.type_name());
        return Err(Fault::Raised(Exception::AttributeError, text));
    };
    let flag = |runtime: &mut Runtime<'_>, at| {
        bound.get(at).map_or(Ok(false), |value| runtime.truth(value))
    };
    let (first, blank) = (flag(runtime, 2)?, flag(runtime, 3)?);
    let lines = methods::lines(text, false);
    runtime.text_fits(text.len().saturating_add(lines.len().saturating_mul(indention.len())))?;
    let mut out = String::with_capacity(text.len());
    if first {
        out.push_str(indention);
    }
    for (index, line) in lines.into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
            if blank || !line.is_empty() {
                out.push_str(indention);
            }
        }
        out.push_str(line);
    }
    Ok(Val::text_like(out, is_markup))
}

pub(super) fn truncate(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let length = bound.get(1).cloned().unwrap_or(Val::Int(255));
    let kills = bound.get(2).map_or(Ok(false), |value| runtime.truth(value))?;
    let end = bound.get(3).cloned().unwrap_or_else(|| Val::str("..."));
    let leeway = bound.some(4).cloned().unwrap_or(Val::Int(5));
    let end_length = Val::size(runtime.length(&end)?);
    for (name, given, least) in
        [("length", &length, &end_length), ("leeway", &leeway, &Val::Int(0))]
    {
        if !runtime.compare(Comparison::GreaterEqual, given, least)? {
            let (given, least) = (runtime.text(given)?, runtime.text(least)?);
            let text = format!("expected {name} >= {least}, got {given}");
            return Err(Fault::Raised(Exception::AssertionError, text));
        }
    }
    let count = Val::size(runtime.length(&value)?);
    let most = runtime.binary(Binary::Add, &length, &leeway)?;
    if runtime.compare(Comparison::LessEqual, &count, &most)? {
        return Ok(value);
    }
    let kept = runtime.binary(Binary::Subtract, &length, &end_length)?;
    let slice = Val::object(super::super::value::Object::Slice(Val::None, kept, Val::None));
    let mut head = runtime.python_item(&value, &slice)?;
    if !kills && let Some(text) = head.as_text() {
        let text = text.rsplit_once(' ').map_or(text.as_str(), |(before, _)| before);
        head = Val::text_like(text, head.is_markup());
    }
    runtime.binary(Binary::Add, &head, &end)
}

pub(super) fn wordcount(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let text = runtime.text(&bound.at(0))?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    Ok(Val::size(text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).count()))
}

pub(super) fn wordwrap(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let width = bound.get(1).map_or(Ok(79), Val::as_index)?;
    let flag = |runtime: &mut Runtime<'_>, at| {
        bound.get(at).map_or(Ok(true), |value| runtime.truth(value))
    };
    let (breaks_words, breaks_hyphens) = (flag(runtime, 2)?, flag(runtime, 4)?);
    let between = bound.some(3).cloned().unwrap_or_else(|| Val::str("\n"));
    let Some(text) = value.as_text() else {
        if let Val::Undefined(found) = &value {
            return Err(found.fault(runtime));
        }
        let text = format!("'{}' object has no attribute 'splitlines'", value.type_name());
        return Err(Fault::Raised(Exception::AttributeError, text));
    };
    let Some(between) = between.as_text() else {
        let text = format!("'{}' object has no attribute 'join'", between.type_name());
        return Err(Fault::Raised(Exception::AttributeError, text));
    };
    let mut out = Vec::new();
    for line in methods::lines(text, false) {
        runtime.step(line.len() as u64)?;
        let lines = wrapped(line, width, breaks_words, breaks_hyphens)?;
        out.push(lines.join(between));
    }
    let out = out.join(between);
    runtime.text_fits(out.len())?;
    Ok(Val::str(out))
}

/// The unbreakable parts of a line: blanks, words, parts of words up to a hyphen, and dashes.
fn chunks(line: &str, breaks_hyphens: bool) -> Vec<Vec<char>> {
    const WORDS: &str = concat!(
        r#"[\t\n\x0b\x0c\r ]+|(?<=[\w!"'&.,?])-{2,}(?=\w)|"#,
        r#"[^\t\n\x0b\x0c\r ]+?(?:-(?:(?<=[^\d\W]{2}-)|(?<=[^\d\W]-[\w!"'&.,?]-))"#,
        r#"(?=[^\d\W]-?[^\d\W])|(?=[\t\n\x0b\x0c\r ]|\z)|(?<=[\w!"'&.,?])(?=-{2,}\w))"#,
    );
    static PATTERN: OnceLock<Option<fancy_regex::Regex>> = OnceLock::new();
    let is_blank = |c: char| "\t\n\x0b\x0c\r ".contains(c);
    let pattern = PATTERN.get_or_init(|| fancy_regex::Regex::new(WORDS).ok());
    let mut found: Vec<Vec<char>> = Vec::new();
    if let (Some(pattern), true) = (pattern, breaks_hyphens) {
        let mut end = 0;
        for part in pattern.find_iter(line).flatten() {
            if part.start() > end {
                found.push(line[end..part.start()].chars().collect());
            }
            found.push(part.as_str().chars().collect());
            end = part.end();
        }
        if end < line.len() {
            found.push(line[end..].chars().collect());
        }
        return found;
    }
    for c in line.chars() {
        match found.last_mut() {
            Some(last) if is_blank(last[0]) == is_blank(c) => last.push(c),
            _ => found.push(vec![c]),
        }
    }
    found
}

/// Wraps a line as Python's `textwrap` does.
fn wrapped(line: &str, width: i64, breaks_words: bool, breaks_hyphens: bool) -> Res<Vec<String>> {
    let Some(width) = usize::try_from(width).ok().filter(|width| *width > 0) else {
        return Err(value_error(format!("invalid width {width} (must be > 0)")));
    };
    let is_blank = |chunk: &[char]| chunk.iter().all(|c| is_python_space(*c));
    let mut rest = chunks(line, breaks_hyphens);
    rest.reverse();
    let mut lines = Vec::new();
    while let Some(last) = rest.last() {
        if !lines.is_empty() && is_blank(last) {
            rest.pop();
        }
        let mut current: Vec<Vec<char>> = Vec::new();
        let mut length = 0;
        while let Some(chunk) = rest.pop_if(|chunk| length + chunk.len() <= width) {
            length += chunk.len();
            current.push(chunk);
        }
        if let Some(chunk) = rest.last_mut().filter(|chunk| chunk.len() > width) {
            if breaks_words {
                let left = width - length;
                let mut end = left;
                if breaks_hyphens && chunk.len() > left {
                    let hyphen = chunk[..left].iter().rposition(|c| *c == '-');
                    end = hyphen
                        .filter(|at| chunk[..*at].iter().any(|c| *c != '-'))
                        .map_or(left, |at| at + 1);
                }
                let after = chunk.split_off(end);
                current.push(std::mem::replace(chunk, after));
            } else if current.is_empty() {
                current.extend(rest.pop());
            }
        }
        if current.last().is_some_and(|chunk| is_blank(chunk)) {
            current.pop();
        }
        if !current.is_empty() {
            lines.push(current.concat().into_iter().collect());
        }
    }
    Ok(lines)
}
