//! A part of a value or type that is not as expected.

use ecow::EcoString;

use crate::types::{IntRange, Type};

/// One step on the way to the part that does not fit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    Subject(String),
    Entry(EcoString),
    EntryKey(EcoString),
    Parameter(EcoString),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

/// One thing that does not fit.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    pub(crate) path: Vec<Step>,
    pub(crate) reason: Reason,
}

/// The reason of a mismatch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Reason {
    MissingKey(EcoString),
    MissingParameter(EcoString),
    UnknownKey(EcoString),
    UnknownParameter(EcoString),
    UnexpectedBlock,
    MissingBlock,
    Unresolved(EcoString),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: IntRange, actual: IntRange },
    Count { expected: IntRange, actual: IntRange },
}
