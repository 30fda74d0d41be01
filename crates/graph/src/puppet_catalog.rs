//! Puppet's catalog, format 2, which Puppet's agents and other tools read.
//!
//! A catalog has containment as its edges; order and notification are the parameters `before`,
//! `require`, `notify` and `subscribe`. Values that JSON lacks are objects with `__ptype`.

mod read;
mod relations;
mod text;
mod value;
mod write;

pub use read::read;
pub use value::read_rich;
pub use write::{Envelope, write};
