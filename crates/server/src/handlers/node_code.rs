//! The code that a node compiles with: that of its pinned revision, or the current one.

use std::sync::Arc;

use ordain_ca::Certname;

use super::no_environment;
use crate::compile::{EnvironmentError, OpenedEnvironment};
use crate::reply::Reply;
use crate::server::Server;

/// The code of an environment for a node: that of its pinned revision, or the current one. Blocks
/// while it is opened.
///
/// # Errors
/// The reply if there is no such environment or revision.
pub(super) fn code_for(
    server: &Server,
    node: &Certname,
    environment: &str,
) -> Result<Arc<OpenedEnvironment>, Reply> {
    let found = match server.pins.revision(node) {
        None => server.environments.get(environment),
        Some(id) => match server.environments.get_revision(environment, &id) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => return Err(no_revision(node, environment, &id)),
            Err(error) => Err(error),
        },
    };
    found.map_err(|error: EnvironmentError| no_environment(environment, error))
}

/// The reply for a pinned revision that the environment does not have.
pub(super) fn no_revision(node: &Certname, environment: &str, id: &str) -> Reply {
    Reply::not_found(format!(
        "{node} is pinned to the revision {id}, which the environment {environment} does not have"
    ))
}
