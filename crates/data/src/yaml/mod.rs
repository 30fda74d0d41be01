//! YAML: a reader that keeps places, the scalar schemas of the programs whose files we read, and a
//! writer in the layout of Ruby's Psych.
//!
//! Reading has two steps. [`Tree::parse`] returns the nodes with their places; [`Tree::value`]
//! converts them to plain data by a [`Schema`]. [`read`] does both.
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
mod budget;
mod build;
mod core;
mod emitter;
mod error;
mod fast_path;
mod libyaml;
mod nodes;
mod parse;
pub mod psych;
mod ruby;
mod scalar_text;
mod schema;
mod tree;

use ordain_source::TextRange;

pub use advice::{Advice, advice};
pub use budget::Budget;
pub use error::{Error, ErrorKind};
pub use ruby::SYMBOL;
pub use scalar_text::ScalarText;
pub use schema::Schema;
pub use tree::{Kind, Node, NodeId, Style, Tree};

use crate::Value;

/// Reads the first document of a text; an empty text is [`Value::Null`].
///
/// # Errors
/// When the text is no valid YAML, exceeds the default [`Budget`], or has a value that the schema
/// refuses.
pub fn read(text: &str, schema: Schema) -> Result<Value, Error> {
    Tree::parse(text)?.value(schema)
}

/// Like [`read`], for bytes: they must be UTF-8.
///
/// # Errors
/// As for [`read`], and when the bytes are not UTF-8.
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
