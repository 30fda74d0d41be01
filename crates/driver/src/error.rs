//! The error of a compile.

use ordain_source::Diagnostic;
use thiserror::Error;

/// The error of a compile.
#[derive(Debug, Error)]
pub enum Error {
    /// The [`Reporter`](crate::Reporter) has the errors already.
    #[error("the sources have errors")]
    Reported,
    /// An error that is not reported yet.
    #[error("{}", .0.message)]
    Message(Box<Diagnostic>),
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Message(Box::new(diagnostic))
    }
}
