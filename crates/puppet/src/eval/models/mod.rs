//! Types with features of their own: their definition, their instances, and the code in them.
//!
//! A type is an object type with a model ([`crate::types::modelled`]). What a type is named by and
//! inherits from is known before what its features are, so that types may refer to each other.

mod assign;
mod define;
mod feature;
mod host;
mod load;
mod logic;
mod look;
mod make;
mod object;

pub use look::{InstanceSyntax, ValueSyntax};
pub(crate) use make::Entry;
