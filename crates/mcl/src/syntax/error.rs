//! Errors of the lexer and the parser.

use std::fmt;

use ordain_source::TextRange;

/// The kind of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyntaxKind {
    /// A character that begins no token.
    Unrecognized,
    /// A carriage return.
    CarriageReturn,
    /// An integer beyond 64 bits.
    IntegerOverflow,
    /// A float beyond its range.
    FloatOverflow,
    /// A token that cannot stand here.
    Parser,
    /// A field of a resource without a comma after it.
    TrailingComma,
    /// `==` where a bind has `=`.
    AdditionalEquals,
    /// A type that cannot be that of a value.
    ReturnType,
}

impl SyntaxKind {
    fn words(self) -> &'static str {
        match self {
            Self::Unrecognized => "unrecognized",
            Self::CarriageReturn => "unrecognized carriage return",
            Self::IntegerOverflow => "integer: overflow",
            Self::FloatOverflow => "float: overflow",
            Self::Parser => "parser",
            Self::TrailingComma => "expecting trailing comma",
            Self::AdditionalEquals => "additional equals in bind statement",
            Self::ReturnType => "can't set return type in parser",
        }
    }
}

/// A syntax error: the first one ends the parse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The error in words.
    pub kind: SyntaxKind,
    /// The wrong text, or the message.
    pub text: String,
    /// Its place.
    pub range: TextRange,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.kind.words(), self.text)
    }
}

impl std::error::Error for SyntaxError {}
