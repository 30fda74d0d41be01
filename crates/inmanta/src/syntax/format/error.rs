//! The errors of the formatter.

use std::fmt;

use crate::diagnostics::Error;

/// The reason why a text stays as it is.
#[derive(Debug)]
pub enum FormatError {
    /// It does not parse.
    Syntax(Box<Error>),
    /// The formatter has a defect: its text would have another tree.
    Unsafe,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => f.write_str(&error.message),
            Self::Unsafe => f.write_str("the formatter would change the meaning of this model"),
        }
    }
}

impl std::error::Error for FormatError {}
