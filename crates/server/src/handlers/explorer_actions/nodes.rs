//! Pins of nodes, and nodes that are deactivated.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_explorer::Role;
use ordain_fleet::NodeStore;
use serde::Deserialize;
use serde_json::json;

use super::{act, body, refused, require_node, subject};
use crate::handlers::explorer_reply::problem;
use crate::principal::ExplorerAdmin;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The body of `PUT nodes/NAME/pin`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPin {
    /// The id of a revision, or its beginning.
    revision: String,
}

/// `PUT nodes/NAME/pin`: has the server compile one revision for a node.
pub(crate) async fn pin(server: Arc<Server>, user: ExplorerAdmin, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, node) = (user.viewer(), subject(&request));
        let environment = require_node(server, viewer, Role::Admin, &node)?;
        let NewPin { revision } = body(&request)?;
        let store = NodeStore::of(server.queries.shared_database());
        let deployed = server.environments.deployed(&environment.unwrap_or_default());
        // A revision that no node has had yet is known from its deploy alone.
        let revision = match deployed.into_iter().find(|record| record.id == revision) {
            Some(record) => record.id,
            None => store.revision(&revision, false).map_err(|error| refused(&error))?,
        };
        let before = store.pin(&node, &revision, &viewer.name).map_err(|error| refused(&error))?;
        Ok(Reply::json(&json!({ "node": node, "revision": revision, "before": before })))
    })
    .await
}

/// `DELETE nodes/NAME/pin`: has the server compile the current revision for a node again.
pub(crate) async fn unpin(server: Arc<Server>, user: ExplorerAdmin, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, node) = (user.viewer(), subject(&request));
        require_node(server, viewer, Role::Admin, &node)?;
        let store = NodeStore::of(server.queries.shared_database());
        let before = store.unpin(&node, &viewer.name).map_err(|error| refused(&error))?;
        match before {
            Some(before) => Ok(Reply::json(&json!({ "node": node, "before": before }))),
            None => Err(problem(StatusCode::CONFLICT, &format!("{node} is not pinned"))),
        }
    })
    .await
}

/// `POST nodes/NAME/deactivate`: deactivates a node, until it sends data again.
pub(crate) async fn deactivate(
    server: Arc<Server>,
    user: ExplorerAdmin,
    request: Request,
) -> Reply {
    act(server, move |server| {
        let (viewer, node) = (user.viewer(), subject(&request));
        require_node(server, viewer, Role::Admin, &node)?;
        let store = NodeStore::of(server.queries.shared_database());
        store.deactivate(&node, &viewer.name).map_err(|error| refused(&error))?;
        Ok(Reply::json(&json!({ "node": node })))
    })
    .await
}
