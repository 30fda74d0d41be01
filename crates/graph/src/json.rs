//! Ordain's own format for graphs: versioned JSON with the origin of every value.
//!
//! The format is described in `docs/formats.md`.

mod read;
mod value;
mod write;

pub use read::{ReadError, read};
pub use value::{Secrets, is_omitted, read_value, write_value};
pub use write::write;

/// The name in the `format` member of a document.
pub const FORMAT: &str = "ordain-graph";

/// The newest version that is written and read.
pub const VERSION: u64 = 2;

/// The version of a document without barriers, which older programs read as well.
const WITHOUT_BARRIERS: u64 = 1;
