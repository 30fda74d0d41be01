//! The language's comparison operators, and `=~`. They refuse comparisons
//! that [`crate::value::equality`] answers with no.

use std::cmp::Ordering;
use std::sync::Arc;

use ordain_puppet_syntax::ast::BinaryOp;

use crate::error::{Blame, EvalResult, issue, issue_at};
use crate::types::assignable::is_equivalent;
use crate::types::label::{a_an, label};
use crate::types::refusal::answer;
use crate::types::{Regexp, Type, is_assignable, is_instance};
use crate::value::Value;
use crate::value::equality::{groups, in_range, order_time};

pub use crate::value::equality::{
    MatchResult, case_matches, contains, equals, order_mixed, same_text,
};

/// Compares two texts, ignoring the case of ASCII letters.
fn order_text(a: &str, b: &str) -> Ordering {
    let fold = |b: u8| b.to_ascii_lowercase();
    a.bytes().map(fold).cmp(b.bytes().map(fold))
}

/// The order of two values, or the reason why they have none.
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
    let answer = match (op, left, right) {
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
    answer.or_else(|reason| not_possible(op, left, right, &reason))
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
    match groups(regexp, text) {
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
