//! Outcomes of conditions.

use crate::diagnostics::stop::Stop;

/// The reason why a condition has no result.
pub(super) enum ConditionError {
    /// The condition is wrong.
    Condition(String),
    /// An expression has no value yet.
    Stop(Stop),
}

/// Whether a condition holds, and its message.
pub(super) type Verdict = Result<(bool, String), ConditionError>;

pub(super) fn wrong<T>(text: impl Into<String>) -> Result<T, ConditionError> {
    Err(ConditionError::Condition(text.into()))
}

/// One of two texts by the outcome.
pub(super) fn verdict(holds: bool, yes: impl Into<String>, no: impl Into<String>) -> Verdict {
    Ok((holds, if holds { yes.into() } else { no.into() }))
}
