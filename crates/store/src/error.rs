//! Errors in the user's words.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another run holds the lock.
    #[error("another run is under way (process {pid}); lock file {}", path.display())]
    Locked {
        /// Its process, as the lock file names it.
        pid: String,
        /// The lock file.
        path: PathBuf,
    },
    /// The directory or the database cannot be written.
    #[error("the state in {} cannot be written: {reason}", path.display())]
    Unwritable {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The database was made by a newer Ordain.
    #[error(
        "the state in {} was written by a newer version (schema {found}, this one knows {known})",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema that is known here.
        known: i64,
    },
    /// The file is no database, or broken.
    #[error("the state in {} cannot be read: {reason}", path.display())]
    Broken {
        /// The database.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl StoreError {
    /// An error of the file system at a path.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Unwritable { path: path.to_path_buf(), reason: error.to_string() }
    }

    /// An error of the database at a path.
    pub(crate) fn database(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        let reason = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "the disk is full".into(),
            Some(ErrorCode::ReadOnly) => "it is read-only".into(),
            Some(ErrorCode::PermissionDenied) => "permission denied".into(),
            Some(ErrorCode::NotADatabase) => {
                return Self::Broken { path, reason: "it is not a database".into() };
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                return Self::Broken { path, reason: "it is damaged".into() };
            }
            _ => error.to_string(),
        };
        Self::Unwritable { path, reason }
    }
}
