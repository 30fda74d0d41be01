//! Numbers of Ruby, such as `Rational(1, 2)`, in arithmetic and comparisons.
//!
//! The `ruby` process computes them; this file checks the operands by the rules of the language.

use std::cmp::Ordering;

use num_bigint::BigInt;
use ordain_source::Span;

use crate::error::{Blame, EvalResult, issue_at, plain};
use crate::eval::arithmetic::{
    Outcome, coerce_number, finite, not_applicable, not_applicable_when, overflow_digits,
    refuse_beside_time, times,
};
use crate::plugins::RubyAnswer;
use crate::state::Compiler;
use crate::syntax::ast::BinaryOp;
use crate::types::ruby_classes::is_a;
use crate::value::Value;
use crate::value::compare::not_possible;

const NANOS: i64 = 1_000_000_000;

/// Whether a value is a number of Ruby without an equivalent in the language.
pub(crate) fn is_ruby_number(value: &Value) -> bool {
    matches!(value, Value::Runtime(object) if is_a(object, "Numeric"))
}

/// Whether Ruby has to compute an operation.
pub(crate) fn is_for_ruby(left: &Value, right: &Value) -> bool {
    match left {
        Value::Runtime(_) => is_ruby_number(left) || is_ruby_number(right),
        Value::Array(_) | Value::Hash(_) | Value::Binary(_) | Value::Uri(_) => false,
        _ => is_ruby_number(right),
    }
}

fn is_time(value: &Value) -> bool {
    matches!(value, Value::Timespan(_) | Value::Timestamp(_))
}

/// The class of a number of Ruby.
fn class(value: &Value) -> &str {
    match value {
        Value::Runtime(object) => object.class.as_deref().unwrap_or_default(),
        _ => "",
    }
}

impl Compiler<'_> {
    fn number_operand(
        &mut self,
        value: &Value,
        blame: Blame,
        warnings: &mut Vec<String>,
    ) -> EvalResult {
        if is_ruby_number(value) {
            return Ok(value.clone());
        }
        coerce_number(value, blame, self.settings.strict, warnings)
    }

    /// Applies an arithmetic operator to operands of which at least one is a number of Ruby.
    ///
    /// # Errors
    /// As of [`crate::eval::arithmetic::binary`], and exceptions of Ruby.
    pub(crate) fn ruby_arithmetic(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> EvalResult<Outcome> {
        let mut warnings = Vec::new();
        let left = self.number_operand(left, Blame::Left, &mut warnings)?;
        let right = self.number_operand(right, Blame::Right, &mut warnings)?;
        let value = self.calculate_in_ruby(op, &left, &right, span)?;
        Ok(Outcome { value, warnings })
    }

    fn calculate_in_ruby(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> EvalResult {
        if op == BinaryOp::Mod && matches!(left, Value::Float(_)) {
            return not_applicable(op, left);
        }
        if op == BinaryOp::Mod && matches!(right, Value::Float(_)) {
            return not_applicable_when(op, left, right);
        }
        if is_time(left) {
            return refuse_beside_time(op, left, class(right));
        }
        match (op, right) {
            (BinaryOp::Add, Value::Timespan(_) | Value::Timestamp(_))
            | (BinaryOp::Mul, Value::Timespan(_)) => {
                return refuse_beside_time(op, right, class(left));
            }
            (BinaryOp::Sub, Value::Timespan(_)) => {
                let nanoseconds = self.asked(BinaryOp::Mul, left, &Value::Int(NANOS), span)?;
                let nanoseconds = self.ask_ruby_number("to_i", &nanoseconds, None, span)?;
                let RubyAnswer::Value(Value::Int(nanoseconds)) = nanoseconds else {
                    return not_applicable(op, left);
                };
                let left = Value::Timespan(std::sync::Arc::new(i128::from(nanoseconds)));
                return times(op, &left, right);
            }
            (_, Value::Timespan(_) | Value::Timestamp(_)) => {
                return not_applicable_when(op, left, right);
            }
            _ => {}
        }
        if matches!(left, Value::SemVer(_)) {
            return not_applicable(op, left);
        }
        self.asked(op, left, right, span)
    }

    fn asked(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> EvalResult {
        if let (Some(left), Some(right)) = (integer(left), integer(right))
            && let Some(result) = exact(op, &left, &right)
        {
            return match i64::try_from(&result) {
                Ok(small) => Ok(Value::Int(small)),
                Err(_) => overflow_digits(op, &result.to_string()),
            };
        }
        match self.ask_ruby_number(op.sign(), left, Some(right), span)? {
            RubyAnswer::Value(Value::Float(x)) => finite(op, x),
            RubyAnswer::Value(Value::Runtime(number)) if number.is_integer() => {
                overflow_digits(op, &number.text)
            }
            RubyAnswer::Value(value) => Ok(value),
            RubyAnswer::NoMethod => not_applicable(op, left),
            RubyAnswer::ZeroDivision => issue_at("DIV_BY_ZERO", Blame::Right, "Division by 0"),
        }
    }

    /// The unary minus of a number of Ruby.
    ///
    /// # Errors
    /// Exceptions of Ruby.
    pub(crate) fn negate_in_ruby(&mut self, value: &Value, span: Span) -> EvalResult {
        if let Some(number) = integer(value) {
            let negated = -number;
            return Ok(match i64::try_from(&negated) {
                Ok(small) => Value::Int(small),
                Err(_) => Value::big_integer(&negated.to_string()),
            });
        }
        match self.ask_ruby_number("-@", value, None, span)? {
            RubyAnswer::Value(value) => Ok(value),
            _ => not_applicable(BinaryOp::Sub, value),
        }
    }

    /// Compares two numbers of which at least one is a number of Ruby; `None` for other operands.
    ///
    /// # Errors
    /// `COMPARISON_NOT_POSSIBLE`, and exceptions of Ruby.
    pub(crate) fn compare_in_ruby(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> EvalResult<Option<bool>> {
        if let (Some(a), Some(b)) = (integer(left), integer(right)) {
            return Ok(Some(holds(op, a.cmp(&b))));
        }
        let counts = |value: &Value| {
            matches!(value, Value::Int(_) | Value::Float(_)) || is_ruby_number(value)
        };
        if !counts(left) || !is_ruby_number(left) && !is_ruby_number(right) {
            return Ok(None);
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::NotEq) {
            if !counts(right) {
                return Ok(Some(op == BinaryOp::NotEq));
            }
            let answer = self.ask_ruby_number("==", left, Some(right), span)?;
            let is_equal = matches!(answer, RubyAnswer::Value(Value::Bool(true)));
            return Ok(Some(is_equal == (op == BinaryOp::Eq)));
        }
        let answer = match right {
            Value::Timespan(ns) | Value::Timestamp(ns) => {
                let scaled = self.asked(BinaryOp::Mul, left, &Value::Int(NANOS), span)?;
                // Times are compared in nanoseconds, for which 64 bits cover three centuries.
                let bound =
                    i64::try_from(**ns).unwrap_or(if **ns < 0 { i64::MIN } else { i64::MAX });
                self.ask_ruby_number("<=>", &scaled, Some(&Value::Int(bound)), span)?
            }
            right if counts(right) || matches!(right, Value::SemVer(_)) => {
                self.ask_ruby_number("<=>", left, Some(right), span)?
            }
            right => {
                let reason = "A Numeric is not comparable to non Numeric";
                return not_possible(op, left, right, reason);
            }
        };
        let RubyAnswer::Value(Value::Int(order)) = answer else {
            return plain(format!("undefined method `{}' for nil:NilClass", op.sign()));
        };
        Ok(Some(holds(op, order.cmp(&0))))
    }
}

/// Whether a comparison is true for this order of its operands.
fn holds(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Eq => order == Ordering::Equal,
        BinaryOp::NotEq => order != Ordering::Equal,
        BinaryOp::Less => order == Ordering::Less,
        BinaryOp::LessEq => order != Ordering::Greater,
        BinaryOp::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }
}

/// An integer of any size.
fn integer(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some((*number).into()),
        Value::Runtime(number) if number.is_integer() => number.text.parse().ok(),
        _ => None,
    }
}

/// The result of an operator on two integers; `None` if Ruby has to compute it.
fn exact(op: BinaryOp, left: &BigInt, right: &BigInt) -> Option<BigInt> {
    match op {
        BinaryOp::Add => Some(left + right),
        BinaryOp::Sub => Some(left - right),
        BinaryOp::Mul => Some(left * right),
        _ => None,
    }
}
