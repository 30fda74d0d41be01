//! Iteration over lists, hashes, text by characters, integers, finite integer types, enums and
//! iterators. Ranges are not expanded before their items are used.

use std::sync::Arc;

use ordain_source::limits::most_items;

use crate::error::{EvalResult, plain};
use crate::functions::call::Call;
use crate::types::Type;
use crate::value::{HashValue, IteratorValue, Value};

/// The most rounds of one iteration.
const MAX_ROUNDS: usize = 2_000_000;

/// One step of an iteration.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key of a hash entry; otherwise the position.
    pub key: Value,
    /// The value.
    pub value: Value,
    /// Whether it comes from a hash, so that the item is key and value together.
    pub pair: bool,
}

impl Entry {
    /// The argument for a lambda with one parameter.
    pub fn item(&self) -> Value {
        if self.pair {
            Value::array([self.key.clone(), self.value.clone()])
        } else {
            self.value.clone()
        }
    }

    /// The arguments of a lambda with two parameters, or with one.
    pub fn arguments(&self, two: bool) -> Vec<Value> {
        if two { vec![self.key.clone(), self.value.clone()] } else { vec![self.item()] }
    }
}

#[derive(Clone, Debug)]
enum Source {
    List(Arc<Vec<Value>>),
    Hash(Arc<HashValue>),
    Range(i64),
    Iterator(Arc<IteratorValue>),
}

/// The entries of an iterable value, from both ends.
#[derive(Clone, Debug)]
pub struct Items {
    source: Source,
    front: u64,
    back: u64,
}

impl Items {
    /// The entries of a value.
    ///
    /// # Errors
    /// When the value cannot be iterated.
    pub fn of(value: &Value) -> EvalResult<Self> {
        match value {
            Value::Array(items) => Ok(Self::list(Arc::clone(items))),
            Value::Hash(hash) => {
                let back = hash.len() as u64;
                Ok(Self { source: Source::Hash(Arc::clone(hash)), front: 0, back })
            }
            Value::Str(text) => Ok(Self::list(Arc::new(chars(text)))),
            Value::Int(n) if *n >= 0 => {
                Ok(Self { source: Source::Range(0), front: 0, back: n.unsigned_abs() })
            }
            Value::Iterator(iterator) => {
                let back = iterator.items.len() as u64;
                Ok(Self { source: Source::Iterator(Arc::clone(iterator)), front: 0, back })
            }
            Value::Type(kind) => Self::of_type(kind),
            Value::Runtime(object) => match object.integers() {
                Some((from, to)) => {
                    let back = if to < from { 0 } else { to.abs_diff(from).saturating_add(1) };
                    Ok(Self { source: Source::Range(from), front: 0, back })
                }
                None => plain("The value cannot be iterated"),
            },
            _ => plain("The value cannot be iterated"),
        }
    }

    fn of_type(kind: &Type) -> EvalResult<Self> {
        match kind {
            Type::Integer(range) if range.first().is_some() && range.last().is_some() => {
                let back = range.to.abs_diff(range.from).saturating_add(1);
                Ok(Self { source: Source::Range(range.from), front: 0, back })
            }
            Type::Enum { values, .. } => {
                Ok(Self::list(Arc::new(values.iter().map(|v| Value::Str(v.clone())).collect())))
            }
            Type::Literal(text) => Ok(Self::list(Arc::new(vec![Value::Str(text.clone())]))),
            Type::Alias(alias) => match alias.target.get() {
                Some(target) => Self::of_type(target),
                None => plain("The value cannot be iterated"),
            },
            _ => plain("The value cannot be iterated"),
        }
    }

    fn list(items: Arc<Vec<Value>>) -> Self {
        let back = items.len() as u64;
        Self { source: Source::List(items), front: 0, back }
    }

    /// The number of entries by upstream's count, see [`IteratorValue::stated_len`].
    pub fn stated_len(&self) -> usize {
        match &self.source {
            Source::Range(_) => {
                usize::try_from(self.remaining().saturating_sub(1)).unwrap_or(usize::MAX)
            }
            Source::Iterator(iterator) => iterator.stated_len,
            _ => usize::try_from(self.remaining()).unwrap_or(usize::MAX),
        }
    }

    /// The number of entries that are left.
    pub fn remaining(&self) -> u64 {
        self.back.saturating_sub(self.front)
    }

    /// The items as a list.
    ///
    /// # Errors
    /// When there are more than [`most_items`].
    pub fn into_values(self) -> EvalResult<Vec<Value>> {
        limit(self.remaining())?;
        Ok(self.map(|entry| entry.item()).collect())
    }

    fn at(&self, i: u64) -> Option<Entry> {
        let index = usize::try_from(i).ok()?;
        let key = Value::Int(i64::try_from(i).ok()?);
        let value = match &self.source {
            Source::List(items) => items.get(index)?.clone(),
            Source::Iterator(iterator) => iterator.items.get(index)?.clone(),
            Source::Range(from) => Value::Int(from.checked_add_unsigned(i)?),
            Source::Hash(hash) => {
                let (key, value) = hash.get_index(index)?;
                return Some(Entry { key: key.clone(), value: value.clone(), pair: true });
            }
        };
        Some(Entry { key, value, pair: false })
    }
}

impl Iterator for Items {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<Entry> {
        let at = self.front.saturating_add(n as u64);
        if at >= self.back {
            self.front = self.back;
            return None;
        }
        self.front = at + 1;
        self.at(at)
    }
}

impl DoubleEndedIterator for Items {
    fn next_back(&mut self) -> Option<Entry> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        self.at(self.back)
    }
}

/// The characters of a text.
pub fn chars(text: &str) -> Vec<Value> {
    let mut buffer = [0; 4];
    text.chars().map(|c| Value::str(&*c.encode_utf8(&mut buffer))).collect()
}

/// Refuses to make a list of that many items.
///
/// # Errors
/// When there are more than [`most_items`].
pub fn limit(count: u64) -> EvalResult<()> {
    if count > most_items() as u64 {
        return plain(format!(
            "a list of {count} items is too long, the limit is {}",
            most_items()
        ));
    }
    Ok(())
}

/// Ends an endless iteration.
///
/// # Errors
/// When `round`, counted from zero, is above the limit.
pub fn check_round(round: usize) -> EvalResult<()> {
    if round >= MAX_ROUNDS {
        return plain(format!("the iteration does not end within {MAX_ROUNDS} rounds"));
    }
    Ok(())
}

/// Calls the lambda for every entry of the first argument. `on` gets the entry and the value of the
/// lambda, and returns whether to continue. `break()` is an error unless `breakable`.
pub fn visit(
    call: &mut Call<'_, '_>,
    two: bool,
    breakable: bool,
    mut on: impl FnMut(&Entry, Value) -> EvalResult<bool>,
) -> EvalResult<()> {
    for (round, entry) in Items::of(call.arg(0))?.enumerate() {
        check_round(round)?;
        let args = entry.arguments(two);
        let value = match breakable {
            true => call.iterate_parts(&args)?,
            false => Some(call.yield_parts(&args)?),
        };
        let Some(value) = value else { break };
        if !on(&entry, value)? {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::types::IntRange;

    #[test]
    fn ranges_are_not_copied() {
        let last = 9_000_000_000_000_000_000;
        let all = Value::of_type(Type::Integer(IntRange::new(-2, last)));
        let mut items = Items::of(&all).unwrap();
        assert_eq!(items.next().unwrap().value, Value::Int(-2));
        assert_eq!(items.next_back().unwrap().value, Value::Int(last));
        assert!(items.into_values().is_err());
    }

    #[test]
    fn an_integer_counts_from_zero() {
        let values = Items::of(&Value::Int(3)).unwrap().into_values().unwrap();
        assert_eq!(values, [0, 1, 2].map(Value::Int));
        assert!(Items::of(&Value::Int(-1)).is_err());
    }
}
