//! Tests without an answer. Whether a value is an instance of `Init[T]` depends on the constructors
//! of `T`. If there are none, this is an error, not a no. Tests return a boolean, so the first such
//! error is stored separately, for [`crate::types::refusal`].

use std::cell::RefCell;
use std::sync::Arc;

use crate::model::{InitType, Type};

/// The reason why a test has no answer.
#[derive(Clone, Debug)]
pub(crate) enum Undecided {
    /// No instances of this type can be made.
    NotMade(Type),
    /// `Init[T, args]` has arguments that no conversion to a `T` takes.
    WrongArguments(Arc<InitType>),
}

thread_local! {
    static FIRST: RefCell<Option<Undecided>> = const { RefCell::new(None) };
}

/// Stores why a test that is going on has no answer.
pub(crate) fn undecided(reason: Undecided) {
    FIRST.with_borrow_mut(|first| {
        first.get_or_insert(reason);
    });
}

/// The result of tests.
///
/// # Errors
/// Why the first of them has no answer.
pub(crate) fn decided<T>(tests: impl FnOnce() -> T) -> Result<T, Undecided> {
    let outer = FIRST.take();
    let result = tests();
    match FIRST.replace(outer) {
        Some(reason) => Err(reason),
        None => Ok(result),
    }
}
