//! Ordain's own format for graphs: versioned JSON with the origin of every value.
//!
//! The format is described in `docs/formats.md`.

mod error;
mod format;
mod read;
mod value;
mod write;

pub use error::ReadError;
pub use format::{FORMAT, VERSION};
pub use read::read;
pub use value::{Secrets, is_omitted, read_value, redacted, write_value};
pub use write::write;
