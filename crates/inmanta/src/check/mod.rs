//! The checks of a program before it runs: the meaning of names, definitions that do not fit.

mod conflicts;
mod dataclasses;
mod define;
mod entities;
pub(crate) mod literals;
mod names;
mod normalize;
mod plugins;
mod shadow;

pub use names::Found;
pub(crate) use normalize::{Scopes, namespace_not_found};
