//! The command lines of other programs, for callers that start this program by their names.

pub(crate) mod inmanta;
pub(crate) mod mgmt;
pub(crate) mod puppet_lint;
pub(crate) mod spiff;
