//! The errors of an agent.

use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::ProtocolError;

/// The reason why an agent cannot do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A file or directory cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file has an unexpected content.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The server cannot be reached, or does not answer in time.
    #[error("the server {server} cannot be reached: {reason}")]
    Unreachable {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The server refuses a request.
    #[error("the server refuses {subject}: {message} (status {status})")]
    Refused {
        /// The thing that was asked for.
        subject: &'static str,
        /// The status of the reply.
        status: u16,
        /// The message of the server.
        message: String,
        /// The time in seconds after which the server wants to be asked again.
        retry_after: Option<u64>,
    },
    /// The authority of the server is not the one that was named.
    #[error("the authority of the server has the fingerprint {found}, not {wanted}")]
    OtherAuthority {
        /// The fingerprint that was found.
        found: String,
        /// The fingerprint that was named.
        wanted: String,
    },
    /// Nothing says whether the authority of the server may be trusted.
    #[error("the authority of the server is not known yet")]
    NotTrusted {
        /// The fingerprint of the authority that the server names.
        found: String,
    },
    /// The server has not signed the request for a certificate in time.
    #[error("the request for a certificate is not signed yet")]
    NotSigned,
    /// Certificates do not belong together.
    #[error(transparent)]
    Ca(#[from] ordain_ca::CaError),
    /// The answer of the server is not accepted.
    #[error("the graph is refused: {0}")]
    Protocol(#[from] ProtocolError),
    /// The key on this machine cannot be used.
    #[error(transparent)]
    Key(#[from] ordain_fleet_store::FleetStoreError),
    /// A setting has no valid value.
    #[error("{0}")]
    Setting(String),
    /// The system refuses random numbers.
    #[error("the system has no random numbers")]
    Random,
}

impl AgentError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { path, source }
    }

    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_path_buf(), reason: reason.to_string() }
    }

    /// Whether the server is absent or too busy, so that the agent goes on without it.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => matches!(status, 429 | 500..),
            _ => false,
        }
    }
}
