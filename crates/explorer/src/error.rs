//! The errors of this crate.

use ordain_fleet_store::FleetStoreError;

use crate::role::Role;

/// A request that gets no document.
#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    /// There is no such page, node, report or resource, or the user may not see it.
    #[error("there is no {0}")]
    Missing(String),
    /// The user has not the role for it.
    #[error("{user} has not the role `{role}`{}", .environment.as_ref().map(|name| format!(" in {name}")).unwrap_or_default())]
    Forbidden {
        /// The name of the user.
        user: String,
        /// The role.
        role: Role,
        /// The environment, unless the role has to count in all.
        environment: Option<String>,
    },
    /// The user has not the role for some of the chosen nodes.
    #[error("{user} has not the role `{role}` for {other} of the chosen nodes")]
    ForbiddenNodes {
        /// The name of the user.
        user: String,
        /// The role.
        role: Role,
        /// The number of these nodes.
        other: usize,
    },
    /// The user has not the role for each node of a run.
    #[error("{user} has not the role `{role}` for each node of run {run}")]
    ForbiddenRun {
        /// The name of the user.
        user: String,
        /// The role.
        role: Role,
        /// The number of the run.
        run: i64,
    },
    /// A parameter is wrong.
    #[error("{0}")]
    Parameter(String),
    /// The database fails.
    #[error("the store: {0}")]
    Store(#[from] FleetStoreError),
}
