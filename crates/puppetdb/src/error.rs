//! The error of a request: an HTTP status and a body.

use serde_json::{Value, json};

/// The reason why a request fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{body}")]
pub struct QueryError {
    /// The HTTP status: 400, 404, 500 or 503.
    pub status: u16,
    /// The text for the client.
    pub body: String,
    /// Whether `body` is JSON; plain text otherwise.
    pub is_json: bool,
}

impl QueryError {
    /// The request is malformed or not allowed.
    pub fn bad_request(body: impl Into<String>) -> Self {
        QueryError { status: 400, body: body.into(), is_json: false }
    }

    /// The object in the path does not exist. From the JSON body, PuppetDB's terminus recognizes
    /// that the server works and only the object is missing.
    pub fn not_found(kind: &str, name: &str) -> Self {
        let body: Value = json!({"error": format!("No information is known about {kind} {name}")});
        QueryError { status: 404, body: body.to_string(), is_json: true }
    }

    /// The endpoint does not exist.
    pub fn no_route() -> Self {
        QueryError { status: 404, body: "Not Found".into(), is_json: false }
    }

    /// The database failed.
    pub fn internal(body: impl Into<String>) -> Self {
        QueryError { status: 500, body: body.into(), is_json: false }
    }

    pub(crate) fn too_deep() -> Self {
        let limit = crate::limits::MAX_DEPTH;
        QueryError::bad_request(format!("The query is nested more than {limit} levels deep"))
    }
}
