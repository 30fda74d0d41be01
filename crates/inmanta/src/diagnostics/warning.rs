//! Warnings of the original, and lints of our own.

use ecow::EcoString;

use crate::location::Location;

/// A warning that the original prints, too.
#[derive(Clone, PartialEq, Debug)]
pub struct Warning {
    /// Its class in the original; empty for one of ours.
    pub class: EcoString,
    /// The message.
    pub text: String,
    /// The place.
    pub at: Option<Location>,
}

/// A warning about code that is allowed but is probably a mistake.
#[derive(Clone, Debug)]
pub struct Lint {
    /// The place.
    pub at: Location,
    /// The message.
    pub text: String,
}
