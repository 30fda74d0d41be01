//! The error of reading a graph.

/// The reason why a document is not a graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub(super) String);

impl ReadError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}
