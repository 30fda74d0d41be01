//! The kinds of resources with their fields, by subject.

mod local;
mod machines;
mod network;

use super::kind::Kind;

/// All kinds.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    [local::LOCAL, machines::MACHINES, network::NETWORK].into_iter().flatten()
}
