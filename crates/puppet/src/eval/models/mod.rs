//! Types with features: their definitions, their instances, and the code in them.
//!
//! A type with features is an object type with a model ([`crate::types::models`]). Its name and
//! parent are known before its features, so that types may refer to each other.

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
