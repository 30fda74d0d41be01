//! YAML: a reader that keeps places, the scalar schemas of the programs whose files we read, and
//! a writer that is true to Ruby's Psych.
//!
//! Reading has two steps. [`Tree::parse`] gives the nodes with their places; [`Tree::value`] makes
//! plain data of them, by a [`Schema`]. [`read`] does both.
//!
//! ```
//! use ordain_data::yaml::{Schema, Tree};
//! let text = "ntp:\n  enabled: yes\n  port: 0o17\n";
//! let tree = Tree::parse(text)?;
//! let value = tree.value(Schema::Psych)?;
//! assert_eq!(value.dig(["ntp", "enabled"]), Some(&true.into()));
//! let place = tree.find(&["ntp", "port"]).expect("the key is there");
//! assert_eq!(&text[place.start as usize..place.end as usize], "0o17");
//! # Ok::<(), ordain_data::yaml::Error>(())
//! ```

mod advice;
mod build;
mod core;
mod emitter;
mod fast_path;
mod libyaml;
mod nodes;
mod parse;
pub mod psych;
mod ruby;
mod schema;
mod tree;
mod written;

use std::fmt;

use ordain_source::TextRange;

pub use advice::{Advice, advice};
pub use schema::Schema;
pub use tree::{Kind, Node, NodeId, Style, Tree};
pub use written::Written;

use crate::Value;

/// The only key of a map that stands for a symbol of Ruby, which [`Schema::PsychSymbols`] gives.
pub const SYMBOL: &str = "!ruby/symbol";

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
    /// Whether the text is no YAML, in contrast to one that is but holds what is refused.
    pub is_syntax: bool,
}

impl Error {
    fn at(text: &str, range: TextRange, message: impl Into<String>) -> Self {
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

/// What a document may cost. A file of a few lines can nest aliases so that it stands for billions
/// of values; the budget is what it stands for, not what it weighs.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How deep lists and maps may be nested. Everything that walks a value recurses, in threads
    /// with small stacks too.
    pub depth: u32,
    /// How many values the aliases and merge keys of a document may add.
    pub nodes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { depth: 128, nodes: 1_000_000 }
    }
}

/// Reads the first document of a text; an empty text is [`Value::Null`].
///
/// # Errors
/// When the text is no YAML, costs more than the default [`Budget`], or holds what the schema
/// refuses.
pub fn read(text: &str, schema: Schema) -> Result<Value, Error> {
    Tree::parse(text)?.value(schema)
}

/// Like [`read`], for bytes: they must be UTF-8.
///
/// # Errors
/// As for [`read`], and when the bytes are no UTF-8 text.
pub fn read_bytes(bytes: &[u8], schema: Schema) -> Result<Value, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text, schema),
        Err(e) => {
            let valid = e.valid_up_to();
            let good = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
            let at = u32::try_from(valid).unwrap_or(u32::MAX);
            Err(Error::at(good, TextRange::new(at, at), "the text is not UTF-8"))
        }
    }
}
