//! Equality: by value, with the conversions that the language has.

use super::stop::Stop;
use super::{Eval, Evaluator};
use crate::value::Value;

impl Evaluator<'_> {
    /// Whether two values are equal.
    ///
    /// # Errors
    /// When a text is compared with something that has no text.
    pub fn equal(&self, a: &Value, b: &Value) -> Eval<bool> {
        Ok(match (a, b) {
            (Value::Str(x), Value::Str(y)) => x == y,
            (Value::Str(x), Value::Int(_) | Value::Bool(_)) => {
                b.simple_text().is_some_and(|y| *x == y)
            }
            (Value::Str(x), Value::Lambda(y)) => *x == self.lambda_text(y),
            (Value::Str(_), Value::List(_) | Value::Map(_) | Value::Float(_)) => {
                return Err(Stop::failed("types uncomparable"));
            }
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Int(x), Value::Str(y)) => y.parse() == Ok(*x),
            (Value::Int(x), Value::Bool(y)) => *x == i64::from(*y),
            (Value::Int(x), Value::Float(y)) | (Value::Float(y), Value::Int(x)) => *x as f64 == *y,
            (Value::Float(x), Value::Float(y)) => x == y,
            (Value::Bool(x), Value::Bool(y)) => x == y,
            (Value::Bool(x), Value::Str(y)) => parse_bool(&y.to_lowercase()) == Some(*x),
            (Value::Null, Value::Null) => true,
            (Value::List(x), Value::List(y)) => {
                x.items.len() == y.items.len()
                    && x.items.iter().zip(&y.items).all(|(a, b)| self.same(&a.value, &b.value))
            }
            (Value::Map(x), Value::Map(y)) => {
                let (x, y) = (x.entries(), y.entries());
                x.len() == y.len()
                    && x.iter().zip(y).all(|(a, b)| a.0 == b.0 && self.same(&a.1.value, &b.1.value))
            }
            (Value::Lambda(x), Value::Lambda(y)) => self.lambda_text(x) == self.lambda_text(y),
            (Value::Lambda(x), Value::Str(y)) => self.lambda_text(x) == *y,
            (Value::Template(x), Value::Template(y)) => std::rc::Rc::ptr_eq(x, y),
            _ => false,
        })
    }

    /// Whether two values are equal; those that cannot be compared are not.
    pub fn same(&self, a: &Value, b: &Value) -> bool {
        self.equal(a, b).unwrap_or(false)
    }
}

/// The words that Go reads as a boolean.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
