//! The errors of tests that have no answer.

use std::sync::Arc;

use crate::error::{EvalResult, plain};
use crate::types::Type;
use crate::types::generalize::generalize;
use crate::types::simple_name::simple_name;
use crate::types::undecided::{Undecided, decided};

/// The result of tests.
///
/// # Errors
/// The words for why one of them has no answer.
#[inline]
pub fn answer<T>(tests: impl FnOnce() -> T) -> Result<T, String> {
    decided(tests).map_err(|reason| message(&reason))
}

/// The result of tests, where an error gets its place from the expression around it.
///
/// # Errors
/// Why one of them has no answer.
#[inline]
pub fn answered<T>(tests: impl FnOnce() -> T) -> EvalResult<T> {
    answer(tests).or_else(plain)
}

/// The words for why a test has no answer.
pub(crate) fn message(reason: &Undecided) -> String {
    match reason {
        Undecided::NotMade(kind) => cannot_be_made(kind),
        Undecided::WrongArguments(init) => {
            let name = generalize(&init.target);
            let init = Type::Init(Some(Arc::clone(init)));
            let name = simple_name(&name);
            format!(
                "The type '{init}' does not represent a valid set of parameters for {name}.new()"
            )
        }
    }
}

/// The message for a type that cannot be instantiated.
pub(crate) fn cannot_be_made(kind: &Type) -> String {
    format!("Creation of new instance of type '{kind}' is not supported")
}
