//! Actions of users of the web explorer. Each is in the audit log, with the user.

pub(crate) mod certificates;
pub(crate) mod nodes;
pub(crate) mod runs;

use std::sync::Arc;

use hyper::StatusCode;
use ordain_explorer::{Role, Viewer, environment_of};
use ordain_fleet::FleetError;
use serde::de::DeserializeOwned;

use super::blocking;
use super::explorer::with_policy;
use super::explorer_reply::{problem, refusal};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// Runs an action, which blocks.
async fn act(
    server: Arc<Server>,
    action: impl FnOnce(&Server) -> Result<Reply, Reply> + Send + 'static,
) -> Reply {
    let Some(slot) = server.queries.slot().await else { return server.overloaded() };
    let reply = blocking(server, move |server| {
        let _slot = slot;
        action(server).unwrap_or_else(|reply| reply)
    });
    with_policy(reply.await).header("cache-control", "no-store")
}

/// The body of a request.
///
/// # Errors
/// The reply for a body of another form.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Reply> {
    let read = serde_json::from_slice(&request.body);
    read.map_err(|error| problem(StatusCode::BAD_REQUEST, &format!("the body: {error}")))
}

/// The segment of the path that names the subject.
fn subject(request: &Request) -> String {
    request.captured.name.clone().unwrap_or_default()
}

/// The environment of a node for which a user has a role.
///
/// # Errors
/// The reply if there is no such node, or the user has not the role for it.
fn require_node(
    server: &Server,
    viewer: &Viewer,
    role: Role,
    node: &str,
) -> Result<Option<String>, Reply> {
    let found = environment_of(server.queries.database(), viewer, node);
    let environment = found.map_err(|error| refusal(&error))?;
    viewer.require(role, environment.as_deref()).map_err(|error| refusal(&error))?;
    Ok(environment)
}

/// The reply for an error of the database of nodes.
fn refused(error: &FleetError) -> Reply {
    let status = match error {
        FleetError::UnknownNode { .. } | FleetError::UnknownRevision { .. } => {
            StatusCode::NOT_FOUND
        }
        FleetError::Rule(_) => StatusCode::CONFLICT,
        _ => {
            tracing::warn!(%error, "an action of the explorer fails");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    problem(status, &error.to_string())
}
