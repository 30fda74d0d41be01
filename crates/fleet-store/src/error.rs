//! The errors of this crate.

use std::path::PathBuf;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum FleetStoreError {
    /// The database does not answer, or is too busy. The same call may succeed later.
    #[error("the database is not available: {reason}")]
    Unavailable {
        /// The reason.
        reason: String,
    },
    /// A newer Ordain wrote the schema.
    #[error("the database was written by a newer version (schema {found}, this one knows {known})")]
    Newer {
        /// Its schema.
        found: i64,
        /// The newest schema that is known here.
        known: i64,
    },
    /// The statement failed, or the database is damaged.
    #[error("the database failed: {reason}")]
    Failed {
        /// The reason.
        reason: String,
        /// The five characters of SQL's error code, if PostgreSQL gave one.
        code: Option<String>,
    },
    /// The statement took longer than the caller allows.
    #[error("the query took longer than {seconds} s")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// The command is wrong: sending it again does not help.
    #[error("{reason}")]
    Refused {
        /// The reason, for the sender.
        reason: String,
    },
    /// The file of the database or of the key cannot be used.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A value was sealed with another key, or changed since.
    #[error("the secret {name} cannot be opened: it was sealed with another key, or changed")]
    Sealed {
        /// Its name.
        name: String,
    },
    /// The audit log was changed.
    #[error("entry {sequence} of the audit log was changed or removed")]
    Audit {
        /// The first entry that does not fit.
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

    /// Whether the same transaction may succeed at once if it is repeated: another one was in its
    /// way.
    pub(crate) fn is_conflict(&self) -> bool {
        match self {
            Self::Failed { code: Some(code), .. } => {
                // Serialization failure, deadlock, unique and foreign key violations; a type or a
                // table that another server made at the same time.
                let codes = ["40001", "40P01", "23505", "23503", "42710", "42P07"];
                codes.contains(&code.as_str())
            }
            _ => false,
        }
    }
}
