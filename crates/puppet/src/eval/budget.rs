//! What one compile may use: steps of evaluation, and the size of its values.
//!
//! Values share their parts, so a few lines can make one that would take all memory when it is
//! written out or compared. So a value is weighed when a variable or parameter gets it: growth in
//! rounds always goes through one.

use crate::eval::Compiler;
use crate::eval::error::{EvalResult, PlainError, plain};
use crate::value::Value;

/// How many steps a compile may take by default: expressions evaluated, and a fraction of a step
/// for an item of a list that is made. Large sites take less than a tenth of it.
pub const MAX_STEPS: u64 = 30_000_000;
/// How many resources a catalog may have by default, ten times what the largest sites have on a node.
pub const MAX_RESOURCES: usize = 500_000;
/// How many values another may hold, shared ones counted as often as they occur.
const MAX_WEIGHT: usize = 4_000_000;
/// How deep values may be nested.
const MAX_NESTING: usize = 1000;
/// Values above this weight are remembered, so that loops do not weigh them each round.
const LARGE: usize = 256;

/// Lists above this length are long.
const LONG: u64 = 100_000;

/// What a compile has used.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Steps taken.
    pub(crate) steps: u64,
    /// Large values that were weighed last.
    weighed: [Value; 8],
    next: usize,
}

impl Budget {
    /// Counts the work behind a value that a function or an operator made.
    pub(crate) fn made(&mut self, value: &Value) {
        self.steps += match value {
            Value::Array(items) => cost(items.len(), 8),
            Value::Hash(entries) => cost(entries.len(), 4),
            Value::Str(text) => text.len() as u64 / 16,
            _ => 0,
        };
    }

    fn knows(&self, value: &Value) -> bool {
        self.weighed.iter().any(|known| same(known, value))
    }
}

/// What so many items cost of which a step makes `at_once`. Lists that grow item by item are made
/// often but are short; one that is long costs what it takes in memory.
fn cost(items: usize, at_once: u64) -> u64 {
    let items = items as u64;
    if items > LONG { items } else { items / at_once }
}

/// Whether two values are one in memory.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => std::sync::Arc::ptr_eq(a, b),
        (Value::Hash(a), Value::Hash(b)) => std::sync::Arc::ptr_eq(a, b),
        _ => false,
    }
}

impl Compiler<'_> {
    /// Refuses a value that is too big or nested too deeply.
    ///
    /// # Errors
    /// If it is.
    pub(crate) fn weigh(&mut self, value: &Value) -> EvalResult<()> {
        let value = match value {
            Value::Sensitive(inner) => inner,
            other => other,
        };
        if !matches!(value, Value::Array(_) | Value::Hash(_)) || self.budget.knows(value) {
            return Ok(());
        }
        let mut left = MAX_WEIGHT;
        weigh(value, 0, &mut left)?;
        if MAX_WEIGHT - left > LARGE {
            let next = self.budget.next;
            self.budget.weighed[next] = value.clone();
            self.budget.next = (next + 1) % self.budget.weighed.len();
            self.budget.steps += (MAX_WEIGHT - left) as u64 / 64;
        }
        Ok(())
    }
}

fn weigh(value: &Value, depth: usize, left: &mut usize) -> EvalResult<()> {
    let own = match value {
        Value::Str(text) => 1 + text.len() / 64,
        _ => 1,
    };
    *left = left.checked_sub(own).ok_or_else(|| {
        PlainError::new(format!("a value with more than {MAX_WEIGHT} parts is too big"))
    })?;
    if depth > MAX_NESTING {
        return plain(format!("a value is nested more than {MAX_NESTING} levels deep"));
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| weigh(item, depth + 1, left)),
        Value::Hash(entries) => entries.iter().try_for_each(|(key, value)| {
            weigh(key, depth + 1, left)?;
            weigh(value, depth + 1, left)
        }),
        Value::Sensitive(inner) => weigh(inner, depth + 1, left),
        Value::Iterator(iterator) => {
            iterator.items.iter().try_for_each(|item| weigh(item, depth + 1, left))
        }
        _ => Ok(()),
    }
}
