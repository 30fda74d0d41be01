//! The kinds of resources, one file each.

pub mod exec;
pub mod file;
pub mod inert;
pub mod notify;
