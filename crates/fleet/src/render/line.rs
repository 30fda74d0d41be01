//! Lines of text with a meaning.

/// A line of text with its meaning. Terminals show the meaning as a colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The meaning.
    pub tone: Tone,
    /// The text without line breaks. It may contain any other character.
    pub text: String,
}

/// The meaning of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Something unchanged.
    Plain,
    /// A heading.
    Heading,
    /// An addition.
    Add,
    /// A removal, or an error.
    Remove,
    /// A change.
    Change,
    /// Something less important.
    Dim,
}

impl Line {
    pub(crate) fn new(tone: Tone, text: impl Into<String>) -> Self {
        let text: String = text.into();
        let is_line = !text.contains(['\n', '\r']);
        Self { tone, text: if is_line { text } else { text.replace(['\n', '\r'], "␊") } }
    }
}
