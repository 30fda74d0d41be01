//! Checks a program before it runs: resolves names and validates definitions.

mod conflicts;
mod dataclasses;
mod define;
mod entities;
pub(crate) mod literals;
mod names;
mod normalize;
mod plugins;
mod shadow;

pub use names::Resolution;
pub(crate) use normalize::{Scopes, namespace_not_found};
