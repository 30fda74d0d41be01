//! Errors of the reader.

use std::fmt;

use ordain_source::TextRange;

use super::ruby::UNSPECIFIED_CLASS;

/// The kind of an error: callers tell errors apart by it, not by their words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The text is YAML and holds something that is refused.
    Refused,
    /// An alias has the name of no anchor.
    UnknownAlias(String),
    /// An entry of a map is expected, and something else follows.
    MapEntryExpected,
    /// An entry of a list is expected, and something else follows.
    ListEntryExpected,
    /// A key has no colon.
    ColonExpected,
    /// A colon that makes a map stands where none can begin.
    MapNotAllowed,
    /// A colon stands where none may be between brackets.
    MisplacedColon,
    /// A quoted text has no end.
    UnclosedQuote,
    /// A bracket is not closed; the character that opened it.
    UnclosedBracket(char),
    /// A bracket is closed that is not open.
    MisplacedBracket,
    /// A value is expected between brackets.
    ValueExpected,
    /// Something follows a quoted text that cannot.
    TextAfterQuote,
    /// An escape of a quoted text has no meaning.
    UnknownEscape,
    /// An escape of a quoted text lacks digits.
    IncompleteEscape,
    /// An anchor or an alias has no name.
    MissingName,
    /// A character that begins nothing.
    UnexpectedCharacter,
    /// A tab stands where only blanks may.
    Tab,
    /// A tab stands in a text that cannot have it there.
    TabInText,
    /// Something else is no YAML.
    Syntax,
}

/// Why a text is no YAML, or none that can be read safely.
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

    /// Whether a value has a class that Ruby's `safe_load` does not permit.
    pub fn is_unspecified_class(&self) -> bool {
        self.kind == ErrorKind::Refused && self.message.starts_with(UNSPECIFIED_CLASS)
    }

    /// Whether the text is invalid YAML, in contrast to valid YAML with a refused value.
    pub fn is_syntax(&self) -> bool {
        !matches!(self.kind, ErrorKind::Refused | ErrorKind::UnknownAlias(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}
