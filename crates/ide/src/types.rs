//! The answers of an analysis, without a protocol.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_source::{Diagnostic, TextRange};

/// A range of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The absolute path.
    pub path: PathBuf,
    /// The start of the range.
    pub start: u32,
    /// The end of the range.
    pub end: u32,
}

impl Place {
    /// A range of a file.
    pub fn new(path: impl Into<PathBuf>, range: TextRange) -> Self {
        Self { path: path.into(), start: range.start, end: range.end }
    }

    /// The range.
    pub fn range(&self) -> TextRange {
        TextRange::new(self.start, self.end)
    }
}

/// The diagnostics of a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The absolute path.
    pub path: PathBuf,
    /// The text to which their positions refer.
    pub text: Arc<str>,
    /// The diagnostics.
    pub found: Vec<Diagnostic>,
}

/// The kind of a named thing, for the icons of editors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ItemKind {
    /// A class, an entity.
    Class,
    /// A define, a resource type, a kind.
    Type,
    /// A function, a plugin, an implementation.
    Function,
    /// A variable.
    Variable,
    /// A parameter or an attribute.
    Attribute,
    /// A resource, or a node block.
    Resource,
    /// A data type.
    DataType,
    /// A key of data.
    Key,
    /// A module or an import.
    Module,
    /// A word that a value may be.
    Value,
    /// A keyword.
    Keyword,
    /// A fact.
    Fact,
}

/// An entry of the outline of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutlineItem {
    /// Its name.
    pub name: String,
    /// Its type or kind, if that says more than the name.
    pub detail: String,
    /// Its kind.
    pub kind: ItemKind,
    /// All of it.
    pub range: TextRange,
    /// Its name, inside of the range.
    pub name_range: TextRange,
    /// The entries inside.
    pub children: Vec<OutlineItem>,
}

/// A text for a place, as Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The text.
    pub markdown: String,
    /// The range that it describes.
    pub range: TextRange,
}

/// A proposal for the text at the cursor.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CompletionItem {
    /// Its name, which also decides whether it fits the typed text.
    pub label: String,
    /// Its kind.
    pub kind: ItemKind,
    /// Its type or signature.
    pub detail: String,
    /// A sentence.
    pub documentation: String,
    /// The text that replaces the typed text.
    pub insert: String,
}

/// Whether letters, in lower case, occur in a name in this order.
pub(crate) fn has_letters(name: &str, letters: &str) -> bool {
    let mut rest = name.chars().flat_map(char::to_lowercase);
    letters.chars().all(|letter| rest.any(|c| c == letter))
}

impl CompletionItem {
    /// Whether the name has these letters, in lower case, in this order.
    pub(crate) fn fits(&self, typed: &str) -> bool {
        has_letters(&self.label, typed)
    }

    /// A proposal that is inserted as it is.
    pub(crate) fn plain(label: &str, kind: ItemKind, detail: &str, documentation: &str) -> Self {
        Self {
            label: label.into(),
            kind,
            detail: detail.into(),
            documentation: documentation.into(),
            insert: label.into(),
        }
    }
}

/// Proposals, and the text that they replace.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Completions {
    /// The range of the typed part of the name.
    pub range: TextRange,
    /// The proposals, sorted.
    pub items: Vec<CompletionItem>,
}

/// The signatures of the function that is called at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// The signatures.
    pub signatures: Vec<SignatureText>,
    /// The number of the argument at the cursor, from 0.
    pub argument: u32,
}

/// A signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureText {
    /// All of it.
    pub label: String,
    /// The texts of its parameters, which occur in the label in this order.
    pub params: Vec<String>,
    /// A sentence.
    pub documentation: String,
}

/// A text that replaces a range of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edit {
    /// The replaced range.
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// A change that solves a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Its words.
    pub title: String,
    /// The code of the diagnostic.
    pub code: String,
    /// The range of the diagnostic.
    pub diagnostic: TextRange,
    /// Whether it removes the cause, instead of ignoring it.
    pub is_fix: bool,
    /// The changes.
    pub edits: Vec<Edit>,
}

/// A text that an editor shows in a line and that is not part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlayHint {
    /// The place that it follows.
    pub offset: u32,
    /// The text.
    pub label: String,
    /// Where it comes from.
    pub tooltip: String,
    /// Whether it is a type, rather than a value.
    pub is_type: bool,
}

/// A definition that uses others and that others use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallItem {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// All of it.
    pub range: TextRange,
    /// Its name, inside of the range.
    pub name_range: TextRange,
    /// Its kind.
    pub kind: ItemKind,
}

/// A text above a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The name that it is about.
    pub place: Place,
    /// The text.
    pub text: String,
    /// The node whose plan it shows when it is chosen.
    pub plan: Option<String>,
}

/// Lines that an editor can hide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fold {
    /// The first line, from 0, which stays visible.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// Whether the lines are comments.
    pub is_comment: bool,
}

/// The kind of a highlighted token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A class.
    Class,
    /// A resource type, define or data type.
    Type,
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A parameter or attribute.
    Attribute,
}

/// A highlighted token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its range.
    pub range: TextRange,
    /// Its kind.
    pub kind: TokenKind,
    /// Whether the name is defined here.
    pub is_definition: bool,
}

/// A range that leads to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The range.
    pub range: TextRange,
    /// The file.
    pub path: PathBuf,
}
