//! Tokens.

use ecow::EcoString;
use num_bigint::BigInt;

use super::{Part, RegexFlags};

/// A token.
#[derive(Debug)]
pub(super) enum Tok {
    Int(i64),
    Big(Box<BigInt>),
    Float(f64),
    Str(Vec<Part>),
    Symbol(EcoString),
    InterpolatedSymbol(Vec<Part>),
    Regex(Vec<Part>, RegexFlags),
    Words(Vec<Vec<Part>>),
    Symbols(Vec<Vec<Part>>),
    Ident(EcoString),
    Const(EcoString),
    Instance(EcoString),
    Global(EcoString),
    Group(u32),
    /// `name:`
    Label(EcoString),
    /// `"name":`
    TextLabel(Vec<Part>),
    Keyword(&'static str),
    Op(&'static str),
    Text(usize),
    Emit,
    LineEnd,
    End,
}

/// The kind of token that may come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// A value.
    Begin,
    /// An operator.
    End,
    /// An operator, or the first argument of a call without parentheses.
    Arg,
    /// The name of a method.
    Name,
    /// A value, but not on the next line.
    Middle,
}

/// The delimiters of a literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delimiters {
    /// Opens a nested pair; equal to `close` if pairs do not nest.
    pub(super) open: char,
    pub(super) close: char,
}

impl Delimiters {
    pub(super) fn same(c: char) -> Self {
        Self { open: c, close: c }
    }

    pub(super) fn of(open: char) -> Self {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            c => c,
        };
        Self { open, close }
    }
}

/// Whether a name may contain a character.
pub(super) fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
