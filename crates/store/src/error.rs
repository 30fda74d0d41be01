//! The errors of the store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rustix::fs::{Access, StatVfsMountFlags};
use rustix::io::Errno;

/// The reason why the store cannot be used.
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
        /// The reason.
        reason: String,
    },
    /// A newer Ordain created the database.
    #[error(
        "the state in {} was written by a newer version (schema {found}, this one knows {known})",
        path.display()
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema that is known here.
        known: i64,
    },
    /// Another user could have tampered with the path.
    #[error("{} is not safe as a state directory: {reason}", path.display())]
    Unsafe {
        /// The directory on the way, or the file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The database is damaged.
    #[error("the state in {} cannot be read: {reason}", path.display())]
    Broken {
        /// The database.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl StoreError {
    /// An error of the file system at a path.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Unwritable { path: path.to_path_buf(), reason: error.to_string() }
    }

    /// An error of a system call at a path.
    pub(crate) fn errno(path: &Path, error: Errno) -> Self {
        Self::io(path, &error.into())
    }

    /// The database at a path is damaged.
    pub(crate) fn broken(path: &Path, reason: impl Into<String>) -> Self {
        Self::Broken { path: path.to_path_buf(), reason: reason.into() }
    }

    /// An error of the database at a path.
    pub(crate) fn database(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        let reason = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "the disk is full".into(),
            // A damaged header can also look like a database that must not be written.
            Some(ErrorCode::ReadOnly) if rustix::fs::access(&path, Access::WRITE_OK).is_ok() => {
                return Self::broken(&path, "its header is damaged");
            }
            Some(ErrorCode::ReadOnly) => "it is read-only".into(),
            Some(ErrorCode::PermissionDenied) => "permission denied".into(),
            Some(ErrorCode::NotADatabase) => return Self::broken(&path, "it is not a database"),
            Some(ErrorCode::DatabaseCorrupt) => return Self::broken(&path, "it is damaged"),
            _ if is_damage(error) => return Self::broken(&path, format!("it is damaged: {error}")),
            _ => path
                .parent()
                .and_then(disk_fault)
                .map_or_else(|| error.to_string(), ToString::to_string),
        };
        Self::Unwritable { path, reason }
    }
}

/// The reason why a directory cannot be written, if its disk is the cause.
pub(crate) fn disk_fault(dir: &Path) -> Option<&'static str> {
    let disk = rustix::fs::statvfs(dir).ok()?;
    if disk.f_flag.contains(StatVfsMountFlags::RDONLY) {
        return Some("the file system is read-only");
    }
    (disk.f_bavail == 0).then_some("the disk is full")
}

/// Whether an error shows that the database is damaged: values of a wrong type, missing tables, or
/// a truncated file.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    match error {
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => true,
        // The statements are constant, so tables or columns are missing or duplicated.
        Error::SqlInputError { .. } => true,
        Error::SqliteFailure(code, _) => {
            code.code == ErrorCode::ConstraintViolation
                || code.extended_code == rusqlite::ffi::SQLITE_ERROR
                || code.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
        }
        _ => false,
    }
}
