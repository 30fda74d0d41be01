//! Manifests, control repositories and environments of Puppet.

pub mod node;
mod open;
pub mod shared;

pub use open::*;
