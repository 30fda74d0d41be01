//! `golang/…`: functions of Go's standard library, one file per package.
//!
//! Their errors are input errors, so that `<|>` catches them.

pub(super) mod math;
pub(super) mod os;
pub(super) mod path;
pub(super) mod rand;
pub(super) mod strconv;
pub(super) mod strings;

use super::Fault;

/// An error of Go's library.
fn failed(error: impl ToString) -> Fault {
    Fault::catchable(error.to_string())
}
