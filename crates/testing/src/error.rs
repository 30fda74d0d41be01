//! The error type of this crate.

/// Why a test cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TestError(String);

impl TestError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
