//! Tests that have no answer. Whether a value is an instance of `Init[T]` is asked of how a `T` is
//! made; where none can be made, that is an error and not a no. Tests say yes or no, so the first such
//! error is kept beside them, for whoever began to ask.

use std::cell::RefCell;

use crate::error::{EvalResult, plain};

thread_local! {
    static REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Says why a test that is going on has no answer.
pub fn refuse(reason: String) {
    REASON.with_borrow_mut(|kept| {
        kept.get_or_insert(reason);
    });
}

/// What tests give.
///
/// # Errors
/// Why one of them has no answer.
pub fn answer<T>(tests: impl FnOnce() -> T) -> Result<T, String> {
    let outer = REASON.take();
    let given = tests();
    match REASON.replace(outer) {
        Some(reason) => Err(reason),
        None => Ok(given),
    }
}

/// What tests give, where an error gets its place from the expression around it.
///
/// # Errors
/// Why one of them has no answer.
pub fn answered<T>(tests: impl FnOnce() -> T) -> EvalResult<T> {
    answer(tests).or_else(plain)
}
