//! JSON: a reader with error positions, and writers in the layouts of Ruby's JSON library.

#![warn(clippy::indexing_slicing)]

mod error;
mod read;
pub(crate) mod string;
mod write;

pub use error::Error;
pub(crate) use error::Problem;
pub use read::{read, read_bytes};
pub use write::{Escape, Layout, compact, pretty, quote, write};
