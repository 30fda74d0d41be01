//! The error of a query: a status of HTTP and a body.

use serde_json::{Value, json};

/// The reason why a request is not answered with rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{body}")]
pub struct QueryError {
    /// Status of HTTP: 400, 404, 500 or 503.
    pub status: u16,
    /// The text for the client.
    pub body: String,
    /// Whether `body` is JSON; plain text otherwise.
    pub is_json: bool,
}

impl QueryError {
    /// The request cannot be understood or is not allowed.
    pub fn bad_request(body: impl Into<String>) -> Self {
        QueryError { status: 400, body: body.into(), is_json: false }
    }

    /// The object of the path does not exist. PuppetDB's terminus tells a missing object from a
    /// missing server by the JSON.
    pub fn not_found(kind: &str, name: &str) -> Self {
        let body: Value = json!({"error": format!("No information is known about {kind} {name}")});
        QueryError { status: 404, body: body.to_string(), is_json: true }
    }

    /// There is no such endpoint.
    pub fn no_route() -> Self {
        QueryError { status: 404, body: "Not Found".into(), is_json: false }
    }

    /// The database fails.
    pub fn internal(body: impl Into<String>) -> Self {
        QueryError { status: 500, body: body.into(), is_json: false }
    }

    pub(crate) fn too_deep() -> Self {
        let limit = crate::limits::MAX_DEPTH;
        QueryError::bad_request(format!("The query is nested more than {limit} levels deep"))
    }
}
