//! Manifests, control repositories and environments of Puppet.

mod absence;
pub mod node;
mod open;
pub mod shared;

pub use absence::explain_absence;
pub use open::*;
