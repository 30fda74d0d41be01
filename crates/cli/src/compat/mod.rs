//! The command lines of other programs, for those who call this one by their names.

pub mod inmanta;
pub mod mgmt;
pub mod spiff;
