//! Equality by value, with the conversions of the language.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::evaluator::Evaluator;
use crate::diagnostics::stop::{Eval, Stop};
use crate::value::Value;

impl Evaluator<'_> {
    /// Whether two values are equal.
    ///
    /// # Errors
    /// When a text is compared with a value that has no text.
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

    /// Whether two values are equal; incomparable values are not.
    pub fn same(&self, a: &Value, b: &Value) -> bool {
        self.equal(a, b).unwrap_or(false)
    }

    /// A hash that is equal for values that are the [same](Self::same), in either order.
    pub(crate) fn equality_key(&self, value: &Value) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash_for_equality(value, &mut hasher);
        hasher.finish()
    }

    fn hash_for_equality(&self, value: &Value, hasher: &mut FxHasher) {
        match value {
            Value::Null => hasher.write_u8(0),
            Value::Bool(b) => hash_number(f64::from(*b), hasher),
            Value::Int(n) => hash_number(*n as f64, hasher),
            Value::Float(x) => hash_number(*x, hasher),
            Value::Str(s) => hash_text(s, hasher),
            Value::Lambda(lambda) => hash_text(&self.lambda_text(lambda), hasher),
            Value::Template(t) => hasher.write_usize(std::rc::Rc::as_ptr(t).addr()),
            Value::List(list) => {
                hasher.write_usize(list.items.len());
                list.items.iter().for_each(|i| self.hash_for_equality(&i.value, hasher));
            }
            Value::Map(map) => {
                hasher.write_usize(map.entries().len());
                for (key, item) in map.entries() {
                    key.hash(hasher);
                    self.hash_for_equality(&item.value, hasher);
                }
            }
        }
    }
}

/// A text may equal a number or a boolean; such texts are hashed as numbers.
fn hash_text(text: &str, hasher: &mut FxHasher) {
    const MAX_WORD_LENGTH: usize = 5;
    let number = text.parse::<i64>().ok().map(|n| n as f64);
    let word = || (text.len() <= MAX_WORD_LENGTH).then(|| parse_bool(&text.to_lowercase()))?;
    match number.or_else(|| word().map(f64::from)) {
        Some(number) => hash_number(number, hasher),
        None => text.hash(hasher),
    }
}

fn hash_number(number: f64, hasher: &mut FxHasher) {
    // Both zeros are the same.
    hasher.write_u64((number + 0.0).to_bits());
}

/// The words that Go reads as a boolean.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
