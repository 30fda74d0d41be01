//! Replies of the explorer for requests without a document.

use hyper::StatusCode;
use ordain_explorer::{ExplorerError, Role, Viewer};
use serde_json::json;

use crate::reply::{JSON, Reply};

/// Refuses users who may not see the code of an environment.
pub(super) fn check_plan(viewer: &Viewer, environment: &str) -> Result<(), Reply> {
    viewer.require(Role::Plan, Some(environment)).map_err(|error| refusal(&error))
}

/// The reply for a request that gets no document.
pub(crate) fn refusal(error: &ExplorerError) -> Reply {
    let status = match error {
        ExplorerError::Missing(_) => StatusCode::NOT_FOUND,
        ExplorerError::Forbidden { .. }
        | ExplorerError::ForbiddenNodes { .. }
        | ExplorerError::ForbiddenRun { .. } => StatusCode::FORBIDDEN,
        ExplorerError::Parameter(_) => StatusCode::BAD_REQUEST,
        ExplorerError::Store(error) => {
            tracing::warn!(%error, "a page of the explorer fails");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    problem(status, &error.to_string())
}

/// A reply with an error that pages show.
pub(crate) fn problem(status: StatusCode, text: &str) -> Reply {
    Reply::new(status, JSON, json!({ "error": text }).to_string())
}
