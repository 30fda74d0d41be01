//! The language's `==`, `in`, and the matching of `case` and selectors.

use std::cmp::Ordering;
use std::sync::Arc;

use ordain_functions::version::Version;

use crate::types::assignable::is_equivalent;
use crate::types::instance::is_instance;
use crate::types::{Regexp, object};
use crate::value::{HashValue, Object, SemVerRange, Value};

/// The result of a match.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MatchResult {
    /// Whether it matched.
    pub matched: bool,
    /// The new values of `$0`, `$1`, …; `None` if they stay unchanged.
    pub groups: Option<Vec<Value>>,
}

impl From<bool> for MatchResult {
    #[inline]
    fn from(matched: bool) -> Self {
        Self { matched, groups: None }
    }
}

impl MatchResult {
    pub(crate) fn of(groups: Option<Vec<Value>>) -> Self {
        Self { matched: groups.is_some(), groups }
    }
}

/// The language's `==`.
pub fn equals(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(x), Value::Str(y)) => same_text(x, y),
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x == y,
        (Value::Int(i), Value::Float(f)) | (Value::Float(f), Value::Int(i)) => {
            order_mixed(*i, *f) == Some(Ordering::Equal)
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(a, b)| equals(a, b))
        }
        (Value::Hash(x), Value::Hash(y)) => hashes_equal(x, y),
        (Value::Type(x), Value::Type(y)) => is_equivalent(x, y),
        (Value::Object(x), Value::Object(y)) => objects_equal(x, y),
        (Value::Instance(x), Value::Instance(y)) => x == y,
        (Value::Timespan(ns) | Value::Timestamp(ns), Value::Int(_) | Value::Float(_)) => {
            order_time(**ns, b) == Some(Ordering::Equal)
        }
        (Value::Int(_) | Value::Float(_), Value::Timespan(ns) | Value::Timestamp(ns)) => {
            order_time(**ns, a) == Some(Ordering::Equal)
        }
        (Value::Timespan(x), Value::Timespan(y)) | (Value::Timestamp(x), Value::Timestamp(y)) => {
            x == y
        }
        // Sensitive values are equal as keys of hashes are.
        _ => a == b,
    }
}

/// `left == right` of two texts, whose case does not count.
#[inline]
pub fn same_text(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

fn hashes_equal(a: &HashValue, b: &HashValue) -> bool {
    a.len() == b.len()
        && a.iter().all(|(key, value)| equals(b.get(key).unwrap_or(&Value::Undef), value))
}

fn objects_equal(a: &Arc<Object>, b: &Arc<Object>) -> bool {
    Arc::ptr_eq(a, b) || !a.kind.has_ruby_class() && object::equal(a, b)
}

/// Compares an integer and a float without rounding the integer.
pub fn order_mixed(i: i64, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if f >= LIMIT {
        return Some(Ordering::Less);
    }
    if f < -LIMIT {
        return Some(Ordering::Greater);
    }
    let whole = f.trunc();
    match i.cmp(&(whole as i64)) {
        Ordering::Equal => 0.0.partial_cmp(&(f - whole)),
        order => Some(order),
    }
}

const NANOS: i128 = 1_000_000_000;

pub(crate) fn order_time(ns: i128, other: &Value) -> Option<Ordering> {
    match other {
        Value::Int(i) => Some(ns.cmp(&(i128::from(*i) * NANOS))),
        Value::Float(f) => ordain_functions::time::seconds(ns).partial_cmp(f),
        Value::Timespan(o) | Value::Timestamp(o) => Some(ns.cmp(o)),
        _ => None,
    }
}

/// Whether a value matches an option of `case` or a selector.
pub fn case_matches(option: &Value, value: &Value) -> MatchResult {
    match option {
        Value::Default => true.into(),
        Value::Regexp(regexp) => match value {
            Value::Str(text) => MatchResult::of(groups(regexp, text).unwrap_or(None)),
            _ => false.into(),
        },
        Value::Type(kind) => is_instance(kind, value).into(),
        Value::SemVer(version) => is_version(value, version).into(),
        Value::SemVerRange(range) => in_range(value, range).into(),
        Value::Array(options) => match value {
            Value::Array(items) if items.len() == options.len() => {
                all_match(options.iter().zip(items.iter()))
            }
            _ => false.into(),
        },
        Value::Hash(options) => match value {
            Value::Hash(entries) => all_match(
                options.iter().map(|(key, o)| (o, entries.get(key).unwrap_or(&Value::Undef))),
            ),
            _ => false.into(),
        },
        _ => equals(value, option).into(),
    }
}

pub(crate) fn in_range(value: &Value, range: &SemVerRange) -> bool {
    match value {
        Value::SemVer(version) => range.range.includes(version),
        Value::Str(text) => text.parse().is_ok_and(|version| range.range.includes(&version)),
        _ => false,
    }
}

fn is_version(value: &Value, version: &Version) -> bool {
    match value {
        Value::SemVer(other) => **other == *version,
        Value::Str(text) => text.parse::<Version>().is_ok_and(|other| other == *version),
        _ => false,
    }
}

fn all_match<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> MatchResult {
    let mut groups = None;
    for (option, value) in pairs {
        let found = case_matches(option, value);
        groups = found.groups.or(groups);
        if !found.matched {
            return MatchResult { matched: false, groups };
        }
    }
    MatchResult { matched: true, groups }
}

/// `member in container`.
pub fn contains(member: &Value, container: &Value) -> MatchResult {
    match container {
        Value::Str(text) => match member {
            Value::Str(part) => text.to_lowercase().contains(part.to_lowercase().as_str()).into(),
            Value::Regexp(regexp) => MatchResult::of(groups(regexp, text).unwrap_or(None)),
            _ => false.into(),
        },
        Value::Array(items) => in_list(member, items.iter()),
        Value::Hash(entries) => in_list(member, entries.keys()),
        Value::Binary(bytes) => in_bytes(member, bytes).into(),
        Value::SemVerRange(range) => in_range(member, range).into(),
        _ => false.into(),
    }
}

fn in_list<'a>(member: &Value, mut items: impl Iterator<Item = &'a Value>) -> MatchResult {
    match member {
        Value::Regexp(regexp) => {
            let texts = items.filter_map(Value::as_str);
            let mut hits = texts.filter_map(|text| groups(regexp, text).unwrap_or(None));
            MatchResult::of(hits.next())
        }
        Value::Str(_) | Value::SemVer(_) => {
            items.any(|item| case_matches_plain(member, item)).into()
        }
        Value::Type(kind) => items.any(|item| is_instance(kind, item)).into(),
        _ => items.any(|item| equals(item, member)).into(),
    }
}

/// Text in a list: an element may be a pattern for it, but not `default`.
fn case_matches_plain(member: &Value, item: &Value) -> bool {
    case_matches(item, member).matched
}

fn in_bytes(member: &Value, bytes: &[u8]) -> bool {
    let has = |part: &[u8]| part.is_empty() || bytes.windows(part.len()).any(|w| w == part);
    match member {
        Value::Binary(part) => has(part),
        Value::Str(part) => has(part.as_bytes()),
        Value::Int(i) => u8::try_from(*i).is_ok_and(|b| bytes.contains(&b)),
        Value::Float(x) => bytes.iter().any(|&b| f64::from(b) == *x),
        _ => false,
    }
}

/// The first match of a regular expression: the whole and the groups, `undef` for a group that took
/// no part.
///
/// # Errors
/// When the source is broken or the match takes too many steps.
pub(crate) fn groups(regexp: &Regexp, text: &str) -> Result<Option<Vec<Value>>, String> {
    let regex = regexp.regex().map_err(str::to_owned)?;
    let captures = regex.captures(text).map_err(|error| error.to_string())?;
    Ok(captures.map(|captures| {
        let spans = captures.spans().iter();
        spans.map(|span| span.clone().map_or(Value::Undef, |s| Value::str(&text[s]))).collect()
    }))
}
