//! The command lines of other programs, for callers that start this program by their names.

pub mod inmanta;
pub mod mgmt;
pub mod spiff;
