//! The errors of this crate.

use ordain_fleet_store::FleetStoreError;

/// A request that gets no document.
#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    /// There is no such page, node, report or resource, or the user may not see it.
    #[error("there is no {0}")]
    Missing(String),
    /// A parameter is wrong.
    #[error("{0}")]
    Parameter(String),
    /// The database fails.
    #[error("the store: {0}")]
    Store(#[from] FleetStoreError),
}
