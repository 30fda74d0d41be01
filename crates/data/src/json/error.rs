//! Errors of the readers of JSON and HOCON.

use std::fmt;

use ordain_source::TextRange;

/// The reason why a text cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The error in words.
    pub message: String,
    /// The bytes it is about.
    pub range: TextRange,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}

/// An error, and its byte.
pub(crate) struct Problem {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Problem {
    /// Another character was expected at a byte.
    pub(crate) fn expected(text: &str, at: usize, wanted: &str) -> Self {
        let message = match text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(c) => format!("expected {wanted}, found `{}`", c.escape_debug()),
            None => format!("expected {wanted}, but the text ends"),
        };
        Self { at, message }
    }

    /// The error in the text.
    pub(crate) fn at(self, text: &str) -> Error {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        let [line, column, at] =
            [line, column, self.at].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Error { message: self.message, range: TextRange::new(at, at), line, column }
    }
}
