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

#![warn(clippy::indexing_slicing)]

mod error;
mod read;
pub(crate) mod string;
mod write;

pub use error::Error;
pub(crate) use error::Problem;
pub use read::{read, read_bytes};
pub use write::{Escape, Layout, compact, pretty, quote, write};
