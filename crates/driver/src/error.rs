//! Why a compile gives nothing.

use ordain_source::Diagnostic;
use thiserror::Error;

/// Why a compile gives nothing.
#[derive(Debug, Error)]
pub enum Error {
    /// The [`Reporter`](crate::Reporter) has the errors already.
    #[error("the sources have errors")]
    Reported,
    /// This is wrong.
    #[error("{}", .0.message)]
    Message(Box<Diagnostic>),
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Message(Box::new(diagnostic))
    }
}
