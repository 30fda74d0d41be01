//! The state of a translation, and pieces of translated code.

use rustc_hash::{FxHashMap, FxHashSet};

/// The error is the reason why something has no counterpart.
pub(crate) type Outcome<T> = Result<T, String>;

/// The purpose of a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Refuses values: raising becomes the text of the refusal.
    Check,
    /// Refuses objects, and sees all attributes.
    Invariant,
    /// Gives a value.
    Value,
}

/// Translates the code of one definition.
pub(crate) struct Translator<'a> {
    pub purpose: Purpose,
    /// The attributes of the type, and whether they have many values.
    pub features: &'a FxHashMap<String, bool>,
    /// The attribute that the code is of.
    pub feature: Option<&'a str>,
    /// Local variables by their names in Ruby.
    pub(crate) locals: FxHashMap<String, String>,
    /// Names that variables had before.
    pub(crate) used: FxHashSet<String>,
    /// The number of branches around the code.
    pub(crate) branches: usize,
    /// The number of lambdas around the code.
    pub(crate) lambdas: usize,
    /// Whether something leaves the lambda early.
    pub(crate) leaves: bool,
}

/// An expression, and how it may be used.
pub(crate) struct Code {
    pub text: String,
    /// Whether it can be an operand without parentheses.
    pub is_atom: bool,
    pub kind: KnownType,
}

/// The knowledge about a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KnownType {
    Nothing,
    Boolean,
    Number,
    Text,
    List,
}

impl Code {
    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_atom: true, kind: KnownType::Nothing }
    }

    pub(crate) fn operation(text: impl Into<String>, kind: KnownType) -> Self {
        Self { text: text.into(), is_atom: false, kind }
    }

    pub(crate) fn of(mut self, kind: KnownType) -> Self {
        self.kind = kind;
        self
    }

    /// As an operand.
    pub(crate) fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }
}
