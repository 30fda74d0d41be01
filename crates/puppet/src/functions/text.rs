//! Functions on text: case, blanks, splitting, search and replacement.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::regex::take_match;
use ordain_functions::scanf::Scanned;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::iterate::{Items, chars};
use crate::functions::support::{function, regex, regexp_of, ruby_class, wrap};
use crate::functions::{Function, Param, opt, plain, req, with_opt_block};
use crate::types::Type;
use crate::value::{HashValue, Value};

const NUMERIC: &[Param] = &[req("Numeric", "arg")];
const TEXT: &[Param] = &[req("String", "arg")];
const LIST: &[Param] = &[req("Iterable[Variant[String, Numeric]]", "arg")];

/// The signatures of a function on a text, a number (which stays), or a list of these.
macro_rules! on_text {
    ($change:expr) => {
        &[
            plain(NUMERIC, same),
            plain(TEXT, |c| Ok(Value::Str($change(&c.str(0))))),
            plain(LIST, |c| on_items(c, $change)),
        ]
    };
}

const NESTED_LIST: &[Param] = &[req("Array[StringData]", "arg")];
const NESTED_MAP: &[Param] = &[req("Hash[StringData, StringData]", "arg")];

/// The signatures of functions that also change nested lists and hashes.
macro_rules! on_nested {
    ($change:expr) => {
        &[
            plain(NUMERIC, same),
            plain(TEXT, |c| Ok(Value::Str($change(&c.str(0))))),
            plain(NESTED_LIST, |c| nested(c, $change)),
            plain(NESTED_MAP, |c| nested(c, $change)),
        ]
    };
}

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function("camelcase", "Makes snake_case text CamelCase.", on_text!(camelcase)),
    function(
        "capitalize",
        "Makes the first letter upper case and the others lower case.",
        on_text!(capitalize),
    ),
    function("chomp", "Removes a line break at the end.", on_text!(chomp)),
    function("chop", "Removes the last character, or a line break of two.", on_text!(chop)),
    function(
        "downcase",
        "Makes text lower case, also in nested lists and hashes.",
        on_nested!(downcase),
    ),
    function(
        "upcase",
        "Makes text upper case, also in nested lists and hashes.",
        on_nested!(upcase),
    ),
    function("lstrip", "Removes blanks at the start.", on_text!(lstrip)),
    function("rstrip", "Removes blanks at the end.", on_text!(rstrip)),
    function("strip", "Removes blanks at both ends.", on_text!(|s: &str| lstrip(&rstrip(s)))),
    function(
        "match",
        "Returns the match of a regular expression in a text, with its groups.",
        &[
            plain(&[req("String", "string"), req("Variant[Any, Type]", "pattern")], match_one),
            plain(
                &[req("Array[String]", "string"), req("Variant[Any, Type]", "pattern")],
                match_all,
            ),
        ],
    ),
    function(
        "regsubst",
        "Replaces the matches of a regular expression.",
        &[
            plain(
                &[
                    req(TARGET, "target"),
                    req("String", "pattern"),
                    req("Variant[String,Hash[String,String]]", "replacement"),
                    opt("Optional[Pattern[/^[GEIM]*$/]]", "flags"),
                ],
                regsubst,
            ),
            plain(
                &[
                    req(TARGET, "target"),
                    req("Variant[Regexp,Type[Regexp]]", "pattern"),
                    req("Variant[String,Hash[String,String]]", "replacement"),
                    opt("Pattern[/^G?$/]", "flags"),
                ],
                regsubst,
            ),
        ],
    ),
    function(
        "split",
        "Splits text at every match of a pattern.",
        &[
            plain(&[req("String", "str"), req("String", "pattern")], split),
            plain(&[req("String", "str"), req("Regexp", "pattern")], split),
            plain(&[req("String", "str"), req("Type[Regexp]", "pattern")], split),
            plain(&[req("Sensitive[String]", "sensitive"), req("String", "pattern")], split),
            plain(&[req("Sensitive[String]", "sensitive"), req("Regexp", "pattern")], split),
            plain(&[req("Sensitive[String]", "sensitive"), req("Type[Regexp]", "pattern")], split),
        ],
    ),
    function(
        "scanf",
        "Reads values from text by a format.",
        &[with_opt_block(&[req("String", "data"), req("String", "format")], "Callable", scanf)],
    ),
    function(
        "versioncmp",
        "Compares two versions: -1, 0 or 1.",
        &[plain(
            &[req("String", "a"), req("String", "b"), opt("Boolean", "ignore_trailing_zeroes")],
            versioncmp,
        )],
    ),
];

const TARGET: &str = "Variant[Array[Variant[String,Sensitive[String]]],\
    Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]]";

fn same(call: &mut Call<'_, '_>) -> EvalResult {
    Ok(call.take(0))
}

fn on_items(call: &mut Call<'_, '_>, change: impl Fn(&str) -> EcoString) -> EvalResult {
    let values = Items::of(call.arg(0))?.into_values()?;
    Ok(Value::array(values.into_iter().map(|value| match value {
        Value::Str(text) => Value::Str(change(&text)),
        other => other,
    })))
}

fn nested(call: &Call<'_, '_>, change: fn(&str) -> EcoString) -> EvalResult {
    let value = call.arg(0);
    if !is_text_data(value) {
        return fail(format!(
            "{}(): expects texts, numbers, and arrays and hashes of them",
            call.name
        ));
    }
    Ok(deep(value, change))
}

fn is_text_data(value: &Value) -> bool {
    match value {
        Value::Str(_) | Value::Int(_) | Value::Float(_) => true,
        Value::Array(items) => items.iter().all(is_text_data),
        Value::Hash(entries) => entries.iter().all(|(k, v)| is_text_data(k) && is_text_data(v)),
        _ => false,
    }
}

fn deep(value: &Value, change: fn(&str) -> EcoString) -> Value {
    match value {
        Value::Str(text) => Value::Str(change(text)),
        Value::Array(items) => Value::array(items.iter().map(|v| deep(v, change))),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(k, v)| (deep(k, change), deep(v, change)));
            Value::Hash(Arc::new(entries.collect::<HashValue>()))
        }
        other => other.clone(),
    }
}

fn camelcase(text: &str) -> EcoString {
    text.split('_').map(capitalize).collect()
}

fn capitalize(text: &str) -> EcoString {
    ordain_functions::text::capitalize(text).into()
}

fn downcase(text: &str) -> EcoString {
    // Ruby has no special rule for a final sigma.
    text.chars().flat_map(char::to_lowercase).collect()
}

fn upcase(text: &str) -> EcoString {
    text.to_uppercase().into()
}

fn chomp(text: &str) -> EcoString {
    let cut = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
    cut.or_else(|| text.strip_suffix('\r')).unwrap_or(text).into()
}

fn chop(text: &str) -> EcoString {
    if let Some(cut) = text.strip_suffix("\r\n") {
        return cut.into();
    }
    let mut chars = text.chars();
    chars.next_back();
    chars.as_str().into()
}

fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ')
}

fn lstrip(text: &str) -> EcoString {
    text.trim_start_matches(|c| is_blank(c) || c == '\0').into()
}

fn rstrip(text: &str) -> EcoString {
    text.trim_end_matches(|c| is_blank(c) || c == '\0').into()
}

fn match_one(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    Ok(match_value(&text, call.arg(1))?.unwrap_or_default())
}

fn match_all(call: &mut Call<'_, '_>) -> EvalResult {
    let pattern = call.take(1);
    let texts = call.array(0);
    let found = texts.iter().map(|text| {
        Ok(match_value(text.as_str().unwrap_or_default(), &pattern)?.unwrap_or_default())
    });
    Ok(Value::array(found.collect::<EvalResult<Vec<_>>>()?))
}

fn match_value(text: &str, pattern: &Value) -> EvalResult<Option<Value>> {
    match pattern {
        Value::Str(source) => groups(text, source),
        Value::Regexp(regexp) => groups(text, &regexp.source),
        Value::Type(kind) => match_type(text, kind),
        Value::Array(patterns) => {
            for pattern in patterns.iter() {
                if let Some(found) = match_value(text, pattern)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
        other => no_pattern(ruby_class(other)),
    }
}

fn no_pattern<T>(class: &str) -> EvalResult<T> {
    fail(format!(
        "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. \
         Got {class}"
    ))
}

fn match_type(text: &str, kind: &Type) -> EvalResult<Option<Value>> {
    match kind {
        Type::Regexp(Some(regexp)) => groups(text, &regexp.source),
        Type::Regexp(None) => fail("Given Regexp Type has no regular expression"),
        Type::Pattern(patterns) => {
            for pattern in patterns.iter() {
                if let Some(found) = groups(text, &pattern.source)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
        Type::Variant(kinds) => {
            for kind in kinds.iter() {
                if let Some(found) = match_type(text, kind)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
        Type::Alias(alias) => match alias.target.get() {
            Some(target) => match_type(text, target),
            None => no_pattern("Puppet::Pops::Types::PTypeAliasType"),
        },
        other => no_pattern(&ruby_type_class(other)),
    }
}

/// The name of the Ruby class of a type.
fn ruby_type_class(kind: &Type) -> String {
    let name = crate::types::display::simple_name(kind);
    format!("Puppet::Pops::Types::P{name}Type")
}

fn groups(text: &str, source: &str) -> EvalResult<Option<Value>> {
    let regex = regex(source)?;
    let Some(found) = regex.captures(text).map_err(wrap)? else { return Ok(None) };
    let spans = found.spans().iter();
    let groups = spans.map(|span| match span {
        Some(span) => Value::str(&text[span.clone()]),
        None => Value::Undef,
    });
    Ok(Some(Value::array(groups)))
}

/// The steps to charge for finding and replacing a match.
const STEPS_OF_MATCH: u64 = 5;

fn regsubst(call: &mut Call<'_, '_>) -> EvalResult {
    let flags = call.str(3);
    let mut pattern = regexp_of(call.arg(1)).unwrap_or_default();
    let options: String = flags
        .chars()
        .filter_map(|flag| match flag {
            'E' => Some('x'),
            'I' => Some('i'),
            'M' => Some('m'),
            _ => None,
        })
        .collect();
    if !options.is_empty() {
        // The line break ends a comment that the extended syntax allows at the end.
        let end = if options.contains('x') { "\n" } else { "" };
        pattern = ecow::eco_format!("(?{options}:{pattern}{end})");
    }
    let regex = regex(&pattern)?;
    let most = call.compiler.budget.steps.left() / STEPS_OF_MATCH;
    let mut left = most;
    let all = flags.contains('G');
    let (target, replacement) = (call.arg(0).clone(), call.arg(2).clone());
    let result = substitute(&target, &regex, &replacement, all, &mut left);
    call.compiler.budget.steps.charge((most - left) * STEPS_OF_MATCH);
    result
}

/// Replaces the matches in a text or a list of texts. Each match takes one of `left`.
fn substitute(
    target: &Value,
    regex: &ordain_functions::regex::Regex,
    replacement: &Value,
    all: bool,
    left: &mut u64,
) -> EvalResult {
    match target {
        Value::Str(text) => Ok(Value::from(match replacement {
            Value::Hash(table) => regex
                .replace_with(text, all, |found, out| {
                    take_match(left)?;
                    let key = crate::value::Key(&text[found.whole()]);
                    out.push_str(table.get(&key).and_then(Value::as_str).unwrap_or_default());
                    Ok(())
                })
                .map_err(wrap)?,
            other => regex
                .replace_within(text, other.as_str().unwrap_or_default(), all, left)
                .map_err(wrap)?,
        })),
        Value::Array(items) => {
            let items = items.iter().map(|item| substitute(item, regex, replacement, all, left));
            Ok(Value::array(items.collect::<EvalResult<Vec<_>>>()?))
        }
        Value::Sensitive(inner) => {
            let changed = substitute(inner, regex, replacement, all, left)?;
            // A sensitive list becomes a plain one, and its sensitive items stay sensitive.
            let is_list = matches!(**inner, Value::Array(_));
            Ok(if is_list { changed } else { Value::Sensitive(Arc::new(changed)) })
        }
        other => Ok(other.clone()),
    }
}

fn split(call: &mut Call<'_, '_>) -> EvalResult {
    let pattern = regexp_of(call.arg(1)).unwrap_or_default();
    match call.arg(0) {
        Value::Sensitive(inner) => {
            let text = inner.as_str().unwrap_or_default();
            Ok(Value::Sensitive(Arc::new(split_text(text, &pattern)?)))
        }
        other => split_text(other.as_str().unwrap_or_default(), &pattern),
    }
}

fn split_text(text: &str, pattern: &str) -> EvalResult {
    if pattern.is_empty() {
        return Ok(Value::array(chars(text)));
    }
    let regex = regex(pattern)?;
    let parts = regex.split(text).map_err(wrap)?;
    Ok(Value::array(parts.into_iter().map(Value::from)))
}

fn scanf(call: &mut Call<'_, '_>) -> EvalResult {
    let values = ordain_functions::scanf::scanf(&call.str(0), &call.str(1)).map_err(wrap)?;
    let values = Value::array(values.into_iter().map(|value| match value {
        Scanned::Int(i) => Value::Int(i),
        Scanned::Float(f) => Value::Float(f),
        Scanned::Str(text) => Value::from(text),
    }));
    if call.block.is_some() { call.yield_block(&[values]) } else { Ok(values) }
}

fn versioncmp(call: &mut Call<'_, '_>) -> EvalResult {
    let (a, b) = (call.str(0), call.str(1));
    let order = ordain_functions::version::compare_puppet(&a, &b, call.arg(2).is_true());
    Ok(Value::Int(order as i64))
}
