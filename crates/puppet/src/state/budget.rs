//! The limits of one compile: steps of evaluation, nesting, and the size of its values.
//!
//! Values share their parts, so a few lines can make a value that would need all memory when it is
//! written or compared. Values are therefore weighed when they are assigned to variables and
//! parameters, because repeated growth always passes through one, and when a function or an
//! interpolation gets a value that no variable has.

use std::sync::Arc;

use ordain_source::limits::Steps;

use crate::error::{EvalResult, issue, plain};
use crate::state::frame::MAX_DEPTH;
use crate::value::Value;
use ordain_source::limits::most_text;

/// The default maximal number of steps of a compile. An evaluated expression is a step, a new item
/// of a list a fraction of one. Large sites take less than a fifth of this.
pub const MAX_STEPS: u64 = 15_000_000;
/// The default maximal number of resources of a catalog, several times that of a node of the
/// largest sites.
pub const MAX_RESOURCES: usize = 250_000;
/// The maximal number of values inside a value. Shared values count as often as they occur.
pub(crate) const MAX_WEIGHT: usize = 2_000_000;
/// The maximal nesting of values.
pub(crate) const MAX_NESTING: usize = 1000;
/// Values above this weight are cached, so that loops do not weigh them in each round.
const LARGE: usize = 256;

/// The number of list items that a search compares in a step.
pub(crate) const ITEMS_A_STEP: u64 = 8;

/// Lists above this length are long.
const LONG: u64 = 100_000;

/// Whether values were weighed already, as parts of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// They were.
    Known,
    /// They may not have been.
    Unknown,
}

/// A value that was weighed.
#[derive(Debug, Default)]
struct WeighedValue {
    /// The value, held so that its address is not reused.
    _value: Value,
    weight: usize,
    /// The nesting of the value.
    height: usize,
}

/// The steps and the value sizes that a compile has used.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Steps taken.
    pub(crate) steps: Steps,
    /// The current nesting of expressions.
    pub(crate) depth: u32,
    /// Large values that were weighed last.
    weighed: [WeighedValue; 8],
    /// The addresses of these, which are compared for every list and hash.
    addresses: [usize; 8],
    next: usize,
}

impl Budget {
    /// A budget of a number of steps.
    pub(crate) fn new(steps: u64) -> Self {
        Self {
            steps: Steps::new(steps),
            depth: 0,
            weighed: Default::default(),
            addresses: [0; 8],
            next: 0,
        }
    }

    /// Whether evaluation may not nest any deeper.
    #[inline]
    pub(crate) fn is_too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH
    }

    /// Reserves levels of the stack; false, without reserving any, if too few are left.
    pub(crate) fn descend(&mut self, levels: u32) -> bool {
        let is_allowed = self.depth + levels < MAX_DEPTH;
        self.depth += if is_allowed { levels } else { 0 };
        is_allowed
    }

    /// Releases levels that [`Self::descend`] reserved.
    pub(crate) fn ascend(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// Takes steps.
    ///
    /// # Errors
    /// When too few are left.
    pub(crate) fn spend(&mut self, steps: u64) -> EvalResult<()> {
        self.steps.take(steps).or_else(|exceeded| plain(exceeded.to_string()))
    }

    /// Charges the cost of a value that a function or an operator made.
    pub(crate) fn charge_result(&mut self, value: &Value) {
        self.steps.charge(match value {
            Value::Array(items) => cost(items.len(), 8),
            Value::Hash(entries) => cost(entries.len(), 3),
            Value::Str(text) => text.len() as u64 / 16,
            _ => 0,
        });
    }

    /// Charges the cost of a search in a list, the keys of a hash, or a text.
    pub(crate) fn charge_search(&mut self, value: &Value) {
        self.steps.charge(match value {
            Value::Array(items) => items.len() as u64 / ITEMS_A_STEP,
            Value::Hash(entries) => entries.len() as u64 / ITEMS_A_STEP,
            Value::Str(text) => text.len() as u64 / 16,
            _ => 0,
        });
    }

    fn known(&self, value: &Value) -> Option<&WeighedValue> {
        let address = address(value)?;
        let at = self.addresses.iter().position(|&known| known == address)?;
        Some(&self.weighed[at])
    }
}

/// The cost of so many items if a step makes `at_once`. Short lists are made often and cheaply; a
/// long one costs its memory.
fn cost(items: usize, at_once: u64) -> u64 {
    let items = items as u64;
    if items > LONG { items } else { items / at_once }
}

/// The weight of a value without parts.
fn leaf(value: &Value) -> Option<usize> {
    match value {
        Value::Array(_) | Value::Hash(_) | Value::Sensitive(_) | Value::Iterator(_) => None,
        // An unfinished object is refused by the weighing.
        Value::Instance(_) => None,
        Value::Str(text) => Some(1 + text.len() / 64),
        _ => Some(1),
    }
}

fn take(left: &mut usize, weight: usize) -> EvalResult<()> {
    match left.checked_sub(weight) {
        Some(rest) => *left = rest,
        None => return too_big(),
    }
    Ok(())
}

/// The nesting of a value and the number of its parts. Shared parts count as often as they occur.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Size {
    pub(crate) height: usize,
    pub(crate) weight: usize,
}

impl Size {
    /// The size of a list or hash whose parts have this one.
    pub(crate) fn around(self, value: &Value) -> Self {
        let own = match value {
            Value::Array(items) => 1 + items.len(),
            Value::Hash(entries) => 1 + 2 * entries.len(),
            _ => return Self::default(),
        };
        Self { height: self.height + 1, weight: self.weight.saturating_add(own) }
    }

    /// Adds another part.
    pub(crate) fn add(&mut self, part: Self) {
        self.height = self.height.max(part.height);
        self.weight = self.weight.saturating_add(part.weight);
    }
}

/// The error of a value that is too large.
pub(crate) fn too_big<T>() -> EvalResult<T> {
    plain(format!("a value with more than {MAX_WEIGHT} parts is too big"))
}

fn too_deep<T>() -> EvalResult<T> {
    plain(format!("a value is nested more than {MAX_NESTING} levels deep"))
}

/// The address of a list or hash, which identifies it.
pub(crate) fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(Arc::as_ptr(items) as usize),
        Value::Hash(entries) => Some(Arc::as_ptr(entries) as usize),
        _ => None,
    }
}

impl Budget {
    /// Refuses a value that is too large or too deeply nested.
    ///
    /// # Errors
    /// When it is.
    pub(crate) fn weigh(&mut self, value: &Value) -> EvalResult<()> {
        let value = match value {
            Value::Sensitive(inner) => inner,
            other => other,
        };
        if !matches!(value, Value::Array(_) | Value::Hash(_)) || self.known(value).is_some() {
            return finished(value);
        }
        let mut left = MAX_WEIGHT;
        let height = self.measure(value, 0, &mut left)?;
        let weight = MAX_WEIGHT - left;
        if weight > LARGE {
            let next = self.next;
            self.addresses[next] = address(value).unwrap_or_default();
            self.weighed[next] = WeighedValue { _value: value.clone(), weight, height };
            self.next = (next + 1) % self.weighed.len();
            self.steps.charge(weight as u64 / 64);
        }
        Ok(())
    }

    /// As [`Budget::weigh`], where the weight may be known.
    #[inline]
    pub(crate) fn weigh_as(&mut self, value: &Value, weight: Weight) -> EvalResult<()> {
        match weight {
            Weight::Known => finished(value),
            Weight::Unknown => self.weigh(value),
        }
    }

    /// Weighs a list or hash that is not in a variable, and so was not weighed before.
    ///
    /// # Errors
    /// As [`Budget::weigh`].
    pub(crate) fn weigh_new(&mut self, value: &Value) -> EvalResult<()> {
        let owners = match value {
            Value::Array(items) => Arc::strong_count(items),
            Value::Hash(entries) => Arc::strong_count(entries),
            other => return finished(other),
        };
        if owners > 1 { Ok(()) } else { self.weigh(value) }
    }
}

/// Refuses an unfinished object, which only its initialiser may use.
fn finished(value: &Value) -> EvalResult<()> {
    match value {
        Value::Instance(instance) if !instance.is_finished() => issue(
            "TYPE_NOT_FINISHED",
            format!("{}: the object is not finished and can not be stored", instance.kind.name),
        ),
        _ => Ok(()),
    }
}

impl Budget {
    /// Takes the weight of a value from `left`; returns its nesting.
    fn measure(&self, value: &Value, depth: usize, left: &mut usize) -> EvalResult<usize> {
        let shared = depth > 0 && matches!(value, Value::Array(_) | Value::Hash(_));
        let known = if shared { self.known(value) } else { None };
        let own = match (known, value) {
            (Some(known), _) => known.weight,
            (None, value) => leaf(value).unwrap_or(1),
        };
        take(left, own)?;
        let height = known.map_or(0, |known| known.height);
        if depth + height > MAX_NESTING {
            return too_deep();
        }
        if known.is_some() {
            return Ok(height);
        }
        let (mut highest, mut leaves) = (0, 0);
        let mut part = |part: &Value| -> EvalResult<()> {
            match leaf(part) {
                Some(weight) => leaves += weight,
                None => highest = highest.max(1 + self.measure(part, depth + 1, left)?),
            }
            Ok(())
        };
        match value {
            Value::Array(items) => items.iter().try_for_each(part)?,
            Value::Hash(entries) => {
                entries.iter().try_for_each(|(key, value)| part(key).and_then(|()| part(value)))?;
            }
            Value::Sensitive(inner) => part(inner)?,
            Value::Iterator(iterator) => iterator.items.iter().try_for_each(part)?,
            other => finished(other)?,
        }
        take(left, leaves)?;
        if leaves > 0 && highest == 0 {
            highest = 1;
            if depth + highest > MAX_NESTING {
                return too_deep();
            }
        }
        Ok(highest)
    }
}

/// Refuses a text that would be too long.
///
/// # Errors
/// When it would.
pub(crate) fn check_length(bytes: usize) -> EvalResult<()> {
    if bytes > most_text() {
        return plain(format!("a text of {bytes} bytes is too long, the limit is {}", most_text()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_weigh_as_often_as_they_occur() {
        let mut budget = Budget::new(1_000);
        let mut value = Value::Int(1);
        for _ in 0..10 {
            value = Value::array([value.clone(), value]);
        }
        assert!(budget.weigh(&value).is_ok());
        for _ in 0..12 {
            value = Value::array([value.clone(), value]);
        }
        assert!(budget.weigh(&value).is_err());
    }

    #[test]
    fn steps_run_out() {
        let mut budget = Budget::new(3);
        assert!(budget.spend(2).is_ok());
        assert!(budget.spend(2).is_err());
    }
}
