//! The language's `==`, its order, `=~`, `in`, and the matching of `case` and selectors.

use std::cmp::Ordering;
use std::sync::Arc;

use ordain_functions::version::Version;

use crate::error::{Blame, EvalResult, issue, issue_at};
use crate::types::assignable::is_equivalent;
use crate::types::label::{a_an, label};
use crate::types::refusal::answer;
use crate::types::{Regexp, Type, is_assignable, is_instance, object};
use crate::value::{HashValue, Object, SemVerRange, Value};
use ordain_puppet_syntax::ast::BinaryOp;

/// What a match found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MatchResult {
    /// Whether it matched.
    pub matched: bool,
    /// What becomes of `$0`, `$1`, …; `None` if they stay what they are.
    pub groups: Option<Vec<Value>>,
}

impl From<bool> for MatchResult {
    fn from(matched: bool) -> Self {
        Self { matched, groups: None }
    }
}

impl MatchResult {
    fn of(groups: Option<Vec<Value>>) -> Self {
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
        // What is sensitive is equal as keys of hashes are.
        _ => a == b,
    }
}

/// `left == right` of two texts, whose case does not count.
pub fn same_text(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

fn hashes_equal(a: &HashValue, b: &HashValue) -> bool {
    a.len() == b.len()
        && a.iter().all(|(key, value)| equals(b.get(key).unwrap_or(&Value::Undef), value))
}

fn objects_equal(a: &Arc<Object>, b: &Arc<Object>) -> bool {
    Arc::ptr_eq(a, b) || !object::has_ruby_class(&a.kind) && object::equal(a, b)
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

/// Compares two texts, ignoring the case of ASCII letters.
fn order_text(a: &str, b: &str) -> Ordering {
    let fold = |b: u8| b.to_ascii_lowercase();
    a.bytes().map(fold).cmp(b.bytes().map(fold))
}

const NANOS: i128 = 1_000_000_000;

fn order_time(ns: i128, other: &Value) -> Option<Ordering> {
    match other {
        Value::Int(i) => Some(ns.cmp(&(i128::from(*i) * NANOS))),
        Value::Float(f) => ordain_functions::time::seconds(ns).partial_cmp(f),
        Value::Timespan(o) | Value::Timestamp(o) => Some(ns.cmp(o)),
        _ => None,
    }
}

/// The order of two values; the error says why there is none.
fn order(a: &Value, b: &Value) -> Result<Option<Ordering>, &'static str> {
    match (a, b) {
        (Value::Str(x), Value::Str(y)) => Ok(Some(order_text(x, y))),
        (Value::Str(_), _) => Err("A String is not comparable to a non String"),
        (Value::Int(x), Value::Int(y)) => Ok(Some(x.cmp(y))),
        (Value::Float(x), Value::Float(y)) => Ok(x.partial_cmp(y)),
        (Value::Int(x), Value::Float(y)) => Ok(order_mixed(*x, *y)),
        (Value::Float(x), Value::Int(y)) => Ok(order_mixed(*y, *x).map(Ordering::reverse)),
        (Value::Int(_) | Value::Float(_), Value::Timespan(ns) | Value::Timestamp(ns)) => {
            Ok(order_time(**ns, a).map(Ordering::reverse))
        }
        (Value::Int(_) | Value::Float(_), _) => Err("A Numeric is not comparable to non Numeric"),
        (Value::Timespan(ns), Value::Timespan(_) | Value::Int(_) | Value::Float(_))
        | (Value::Timestamp(ns), Value::Timestamp(_) | Value::Int(_) | Value::Float(_)) => {
            Ok(order_time(**ns, b))
        }
        (Value::Timespan(_), _) => {
            Err("Timespans are only comparable to Timespans, Integers, and Floats")
        }
        (Value::Timestamp(_), _) => {
            Err("Timestamps are only comparable to Timestamps, Integers, and Floats")
        }
        (Value::Runtime(a), Value::Runtime(b)) if a.is_symbol() && b.is_symbol() => {
            Ok(Some(a.text.cmp(&b.text)))
        }
        (Value::Runtime(symbol), _) if symbol.is_symbol() => {
            Err("Symbol not comparable to non Symbol")
        }
        (Value::SemVer(x), Value::SemVer(y)) => Ok(Some(x.precedence(y))),
        (Value::SemVer(_), _) => Err("Versions not comparable to non Versions"),
        (Value::Default, Value::Default) => Ok(Some(Ordering::Equal)),
        (Value::Default, _) => Err("Symbol not comparable to non Symbol"),
        _ => Err("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

/// `==`, `!=`, `<`, `<=`, `>`, `>=`.
///
/// # Errors
/// `COMPARISON_NOT_POSSIBLE` when there is no order between the two.
pub fn compare(op: BinaryOp, left: &Value, right: &Value) -> EvalResult<bool> {
    let told = match (op, left, right) {
        // Types are equal if each takes the other; the right one is asked first.
        (BinaryOp::Eq | BinaryOp::NotEq, Value::Type(a), Value::Type(b)) if a != b => {
            let equal = || is_assignable(b, a) && is_assignable(a, b);
            answer(|| equal() == (op == BinaryOp::Eq))
        }
        (BinaryOp::Eq, ..) => return Ok(equals(left, right)),
        (BinaryOp::NotEq, ..) => return Ok(!equals(left, right)),
        (_, Value::Type(a), Value::Type(b)) => answer(|| compare_types(op, a, b)),
        (_, Value::Type(_), _) => return Ok(false),
        _ => return compare_order(op, left, right),
    };
    told.or_else(|reason| not_possible(op, left, right, &reason))
}

fn compare_order(op: BinaryOp, left: &Value, right: &Value) -> EvalResult<bool> {
    let ordering = match order(left, right) {
        Ok(ordering) => ordering,
        Err(reason) => return not_possible(op, left, right, reason),
    };
    Ok(match (op, ordering) {
        (_, None) => false,
        (BinaryOp::Less, Some(o)) => o.is_lt(),
        (BinaryOp::LessEq, Some(o)) => o.is_le(),
        (BinaryOp::Greater, Some(o)) => o.is_gt(),
        (_, Some(o)) => o.is_ge(),
    })
}

/// The error of a comparison between values that have no order.
///
/// # Errors
/// Always: `COMPARISON_NOT_POSSIBLE`.
pub fn not_possible<T>(op: BinaryOp, left: &Value, right: &Value, reason: &str) -> EvalResult<T> {
    let sign = match op {
        BinaryOp::Eq => "==",
        BinaryOp::NotEq => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEq => "<=",
        BinaryOp::Greater => ">",
        _ => ">=",
    };
    let (left, right) = (label(left), label(right));
    issue(
        "COMPARISON_NOT_POSSIBLE",
        format!("Comparison of: {left} {sign} {right}, is not possible. Caused by '{reason}'."),
    )
}

fn compare_types(op: BinaryOp, a: &Type, b: &Type) -> bool {
    match op {
        BinaryOp::Less => is_assignable(b, a) && !is_equivalent(a, b),
        BinaryOp::LessEq => is_assignable(b, a),
        BinaryOp::Greater => is_assignable(a, b) && !is_equivalent(a, b),
        _ => is_assignable(a, b),
    }
}

/// `left =~ right`.
///
/// # Errors
/// `MATCH_NOT_REGEXP` and `MATCH_NOT_STRING`.
pub fn matches(left: &Value, right: &Value) -> EvalResult<MatchResult> {
    let made;
    let regexp = match right {
        Value::Type(kind) => return Ok(is_instance(kind, left).into()),
        Value::SemVerRange(range) => return Ok(in_range(left, range).into()),
        Value::Regexp(regexp) => regexp,
        Value::Str(source) => {
            made = Arc::new(Regexp::new(source.clone()));
            &made
        }
        other => {
            let name = crate::types::label::class_name(other);
            let name = match other {
                Value::Undef => "nil",
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => &name,
            };
            return not_regexp(&format!("no implicit conversion of {name} into String"));
        }
    };
    if let Err(reason) = regexp.regex() {
        return not_regexp(reason);
    }
    let Value::Str(text) = left else {
        let got = a_an(left);
        return issue_at(
            "MATCH_NOT_STRING",
            Blame::Left,
            format!("Left match operand must result in a String value. Got {got}."),
        );
    };
    match regexp.groups(text) {
        Ok(groups) => Ok(MatchResult::of(groups)),
        Err(reason) => not_regexp(&reason),
    }
}

fn not_regexp<T>(reason: &str) -> EvalResult<T> {
    issue_at(
        "MATCH_NOT_REGEXP",
        Blame::Right,
        format!(
            "Can not convert right match operand to a regular expression. Caused by '{reason}'."
        ),
    )
}

/// Whether a value matches an option of `case` or a selector.
pub fn case_matches(option: &Value, value: &Value) -> MatchResult {
    match option {
        Value::Default => true.into(),
        Value::Regexp(regexp) => match value {
            Value::Str(text) => MatchResult::of(regexp.groups(text).unwrap_or(None)),
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

fn in_range(value: &Value, range: &SemVerRange) -> bool {
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
            Value::Regexp(regexp) => MatchResult::of(regexp.groups(text).unwrap_or(None)),
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
            let mut hits = texts.filter_map(|text| regexp.groups(text).unwrap_or(None));
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
