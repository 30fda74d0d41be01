//! Errors of the reader.

use std::fmt;

use ordain_source::TextRange;

/// The kind of an error: callers distinguish errors by it, not by the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The text is valid YAML with a refused value.
    Refused,
    /// A value has a class that Ruby's `safe_load` does not permit.
    UnspecifiedClass,
    /// An alias has the name of no anchor.
    UnknownAlias(String),
    /// Something other than a map entry.
    MapEntryExpected,
    /// Something other than a list entry.
    ListEntryExpected,
    /// A key has no colon.
    ColonExpected,
    /// A colon starts a map where none is allowed.
    MapNotAllowed,
    /// A misplaced colon between brackets.
    MisplacedColon,
    /// A quoted text has no end.
    UnclosedQuote,
    /// A bracket without its closing one; the opening character.
    UnclosedBracket(char),
    /// A bracket is closed that is not open.
    MisplacedBracket,
    /// A value is expected between brackets.
    ValueExpected,
    /// Text directly after a quoted scalar.
    TextAfterQuote,
    /// An unknown escape in a quoted text.
    UnknownEscape,
    /// An escape of a quoted text lacks digits.
    IncompleteEscape,
    /// An anchor or an alias has no name.
    MissingName,
    /// A character that cannot start a token.
    UnexpectedCharacter,
    /// A tab stands where only blanks may.
    Tab,
    /// A tab where none is allowed.
    TabInText,
    /// Something else is no YAML.
    Syntax,
}

/// The reason why a text is invalid YAML, or cannot be read safely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// The error in words.
    pub message: String,
    /// The bytes it is about.
    pub range: TextRange,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in characters, from 1.
    pub column: u32,
}

/// The reason why a scalar or a tag has no value.
pub(super) struct ScalarError {
    pub kind: ErrorKind,
    pub message: String,
}

impl From<String> for ScalarError {
    fn from(message: String) -> Self {
        Self { kind: ErrorKind::Refused, message }
    }
}

impl Error {
    pub(super) fn at(text: &str, range: TextRange, message: impl Into<String>) -> Self {
        let before = text.get(..range.start as usize).unwrap_or(text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        let [line, column] = [line, column].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Self { kind: ErrorKind::Syntax, message: message.into(), range, line, column }
    }

    /// The same error with a kind of its own.
    pub(super) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Whether the text is invalid YAML, in contrast to valid YAML with a refused value.
    pub fn is_syntax(&self) -> bool {
        !matches!(
            self.kind,
            ErrorKind::Refused | ErrorKind::UnspecifiedClass | ErrorKind::UnknownAlias(_)
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}
