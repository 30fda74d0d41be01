//! Errors of the reader.

use std::fmt;

use ordain_source::TextRange;

/// Why a text is no YAML, or none that can be read safely.
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
    /// Whether the text is no valid YAML, in contrast to valid YAML with a refused value.
    pub is_syntax: bool,
}

impl Error {
    pub(super) fn at(text: &str, range: TextRange, message: impl Into<String>) -> Self {
        let before = text.get(..range.start as usize).unwrap_or(text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        let [line, column] = [line, column].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Self { message: message.into(), range, line, column, is_syntax: true }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}
