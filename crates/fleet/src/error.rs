//! The error of a comparison.

use std::io;
use std::path::{Path, PathBuf};

use ordain_source::Diagnostic;
use thiserror::Error;

/// The reason why fleets cannot be compared.
#[derive(Debug, Error)]
pub enum FleetError {
    /// The argument names no two states of the sources.
    #[error("`{0}` is no range")]
    Range(String),
    /// A revision or a directory does not exist.
    #[error("{}", .0.message)]
    Revision(Box<Diagnostic>),
    /// A file cannot be read or written.
    #[error("cannot access {path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A document has another form than expected.
    #[error("{path}: {message}")]
    Document {
        /// The file or address.
        path: PathBuf,
        /// The problem.
        message: String,
    },
    /// There are no nodes to compare.
    #[error("there are no facts of nodes in {0}")]
    NoNodes(String),
    /// A rule or filter cannot be read.
    #[error("{0}")]
    Rule(String),
    /// A query cannot be answered.
    #[error("{0}")]
    Query(String),
    /// A node does not exist.
    #[error("there is no node {name}")]
    UnknownNode {
        /// The name.
        name: String,
        /// The most similar name.
        near: Option<String>,
    },
    /// A node was deactivated, or has sent nothing for too long.
    #[error("{0} is deactivated or expired")]
    InactiveNode(String),
    /// No catalog and no report is of a revision.
    #[error("no catalog and no report is of the revision {id}")]
    UnknownRevision {
        /// The text that its id should begin with.
        id: String,
        /// The most similar id.
        near: Option<String>,
    },
    /// The store has no facts of a node.
    #[error("the store has no facts of {0}")]
    NoFacts(String),
    /// A source of facts cannot be asked.
    #[error("{0}")]
    Source(String),
    /// Workers need a commit, and a side is none.
    #[error("workers compare commits, and {0} is none")]
    NoCommit(String),
    /// The job of a comparison was deleted while its results were awaited.
    #[error("the comparison was deleted from the queue")]
    JobGone,
    /// A part of a comparison has no result after the last attempt.
    #[error("no worker could compare {nodes}: {reason}")]
    Batch {
        /// The first and the last of the nodes.
        nodes: String,
        /// The last error.
        reason: String,
    },
    /// The code cannot be opened; the errors were reported.
    #[error("{0}")]
    Code(#[from] ordain_driver::Error),
    /// A node or the sources do not compile; the text has the first error.
    #[error("{0}")]
    Compile(String),
    /// The system cannot start threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

impl FleetError {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    pub(crate) fn document(path: &Path, message: impl ToString) -> Self {
        Self::Document { path: path.to_owned(), message: message.to_string() }
    }
}

impl From<Diagnostic> for FleetError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Revision(Box::new(diagnostic))
    }
}
