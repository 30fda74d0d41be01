//! Errors of the lexer and the parser.

use std::fmt;

use ordain_source::TextRange;

use super::token::TokenKind;

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
    /// The token that cannot stand here, and those that can.
    pub unexpected: Option<(TokenKind, Vec<TokenKind>)>,
}

impl SyntaxError {
    pub(super) fn new(kind: SyntaxKind, text: impl Into<String>, range: TextRange) -> Self {
        Self { kind, text: text.into(), range, unexpected: None }
    }

    /// A token that cannot stand here.
    pub(super) fn unexpected(found: TokenKind, expected: &[TokenKind], range: TextRange) -> Self {
        let text = unexpected_text(found, expected, TokenKind::name);
        let error = Self::new(SyntaxKind::Parser, text, range);
        Self { unexpected: Some((found, expected.to_vec())), ..error }
    }

    /// The message with words in place of the original's names of tokens, if it differs.
    pub(crate) fn plain_text(&self) -> Option<String> {
        Some(match (self.kind, &self.unexpected) {
            (SyntaxKind::TrailingComma, _) => {
                "a comma is missing behind the value of a field".into()
            }
            (SyntaxKind::Unrecognized, _) => match self.text.as_str() {
                "\"" => "a text is not closed".into(),
                text => format!("`{text}` means nothing here"),
            },
            (SyntaxKind::Parser, Some((found, expected))) => {
                unexpected_text(*found, expected, TokenKind::in_words)
            }
            (SyntaxKind::Parser, None) => format!("syntax error: {}", self.text),
            _ => return None,
        })
    }
}

fn unexpected_text<S: AsRef<str>>(
    found: TokenKind,
    expected: &[TokenKind],
    name: fn(TokenKind) -> S,
) -> String {
    let mut text = format!("syntax error: unexpected {}", name(found).as_ref());
    for (i, kind) in expected.iter().enumerate() {
        text.push_str(if i == 0 { ", expecting " } else { " or " });
        text.push_str(name(*kind).as_ref());
    }
    text
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.kind.words(), self.text)
    }
}

impl std::error::Error for SyntaxError {}
