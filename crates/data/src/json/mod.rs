//! JSON: a reader that says where an error is, and writers in the layout of Ruby's JSON library.
//!
//! ```
//! use ordain_data::json;
//! let value = json::read(r#"{"a": [1, 2.0, null], "b": {}}"#)?;
//! assert_eq!(json::compact(&value), r#"{"a":[1,2.0,null],"b":{}}"#);
//! assert_eq!(json::pretty(&value), "{\n  \"a\": [\n    1,\n    2.0,\n    null\n  ],\n  \"b\": {}\n}");
//! let error = json::read("{\n  \"a\": x}").expect_err("x is no value");
//! assert_eq!((error.line, error.column), (2, 8));
//! # Ok::<(), json::Error>(())
//! ```

mod read;
mod write;

use std::fmt;

use ordain_source::TextRange;

pub(crate) use read::Problem;
pub use read::{read, read_bytes};
pub use write::{Escape, Layout, compact, pretty, quote, write};

/// Why a text cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// The bytes it is about.
    pub range: TextRange,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for Error {}
