//! Manifests, control repositories and environments of Puppet.

pub mod node;
mod open;

pub use open::*;
