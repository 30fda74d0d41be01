//! The name and the versions of the format.

/// The name in the `format` member of a document.
pub const FORMAT: &str = "ordain-graph";

/// The newest version that is written and read.
pub const VERSION: u64 = 2;

/// The version of a document without barriers, which older programs read as well.
pub(super) const WITHOUT_BARRIERS: u64 = 1;
