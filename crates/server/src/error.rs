//! The errors of a server.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The directory of code does not exist.
    #[error("{} is not a directory", .0.display())]
    NoCode(PathBuf),
    /// A file or directory cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// A setting has no valid value.
    #[error("{0}")]
    Setting(String),
    /// The authority does not work.
    #[error("the certificate authority: {0}")]
    Ca(#[from] ordain_ca::CaError),
    /// The server's certificate cannot be used.
    #[error("TLS: {0}")]
    Tls(String),
    /// The store does not work.
    #[error("the store: {0}")]
    Store(String),
    /// The system refuses threads or signals.
    #[error("the system refuses {what}: {source}")]
    System {
        /// The thing that was asked for.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
}

impl ServerError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { path, source }
    }

    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}
