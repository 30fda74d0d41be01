//! The errors of this crate.

use std::path::PathBuf;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum FleetStoreError {
    /// The database does not answer or is overloaded. The same call may succeed later.
    #[error("the database is not available: {reason}")]
    Unavailable {
        /// The reason.
        reason: String,
    },
    /// A newer Ordain wrote the schema.
    #[error("the database was written by a newer version (schema {found}, this one knows {known})")]
    NewerSchema {
        /// The version of its schema.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The statement failed, or the database is damaged.
    #[error("the database failed: {reason}")]
    Failed {
        /// The reason.
        reason: String,
        /// The SQLSTATE code, if PostgreSQL sent one.
        code: Option<String>,
    },
    /// A statement exceeded the caller's time limit.
    #[error("the query took longer than {seconds} s")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// The command is invalid; sending it again does not help.
    #[error("{reason}")]
    Refused {
        /// The reason, for the sender.
        reason: String,
    },
    /// The database file or the key file cannot be used.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A value was encrypted with another key, or modified since.
    #[error("the secret {name} cannot be opened: it was encrypted with another key, or changed")]
    DecryptionFailed {
        /// Its name.
        name: String,
    },
    /// The audit log was modified.
    #[error("entry {sequence} of the audit log was changed or removed")]
    Audit {
        /// The first entry that does not match.
        sequence: i64,
    },
}

impl FleetStoreError {
    /// A statement failed.
    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into(), code: None }
    }

    /// A column holds a value of the wrong type.
    pub(crate) fn unexpected(expected: &str, found: &str) -> Self {
        Self::failed(format!("{expected} was expected, {found} found"))
    }

    /// A command is wrong.
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }

    /// Whether repeating the transaction may succeed at once, because another transaction
    /// interfered.
    pub(crate) fn is_conflict(&self) -> bool {
        match self {
            Self::Failed { code: Some(code), .. } => {
                // Serialization failure, deadlock, unique and foreign key violations, and a type or
                // table that another server created at the same time.
                let codes = ["40001", "40P01", "23505", "23503", "42710", "42P07"];
                codes.contains(&code.as_str())
            }
            _ => false,
        }
    }
}
