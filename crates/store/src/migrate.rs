//! Brings the schema of a database up to date.

use std::fs::{OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rustix::fs::OFlags;

use crate::error::StoreError;

/// The steps to a schema; step n leads to schema n + 1. A released step is never changed.
pub(crate) type Migrations = &'static [&'static str];

/// Those of the journal.
pub(crate) const JOURNAL: Migrations = &[
    include_str!("migrations/0001_runs.sql"),
    include_str!("migrations/0002_changes.sql"),
    include_str!("migrations/0003_kept.sql"),
    include_str!("migrations/0004_applied.sql"),
];

/// Those of exported resources.
pub(crate) const EXPORTS: Migrations =
    &[include_str!("migrations/exports_0001.sql"), include_str!("migrations/exports_0002.sql")];

/// The mode of a database: only its owner reads it.
const MODE: u32 = 0o600;

/// Opens a database and brings it up to date.
///
/// # Errors
/// When it cannot be written, is broken, or was made by a newer version.
pub(crate) fn open(path: &Path, migrations: Migrations) -> Result<Connection, StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    restrict(path).map_err(|e| StoreError::io(path, &e))?;
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
    // What is written survives the end of the process at once, and a power cut soon.
    for (name, value) in
        [("journal_mode", "wal"), ("synchronous", "normal"), ("foreign_keys", "on")]
    {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    migrate(&mut connection, migrations).map_err(|e| match e {
        MigrateError::Newer(found) => {
            let known = migrations.len() as i64;
            StoreError::Newer { path: path.to_path_buf(), found, known }
        }
        MigrateError::Database(e) => failed(e),
    })?;
    Ok(connection)
}

/// Lets only its owner read a database, whatever the directory around it permits; one that is not
/// there is made. The files beside it get the mode of the database.
fn restrict(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let file = Path::new(&name);
        match std::fs::symlink_metadata(file) {
            // A file that is closed loses the locks that this process has on it, so that one which is
            // in order is not opened.
            Ok(known) if known.permissions().mode() & 0o077 == 0 => continue,
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            Err(_) if !ending.is_empty() => continue,
            Ok(_) | Err(_) => {}
        }
        let mut options = OpenOptions::new();
        options.append(true).create(ending.is_empty()).mode(MODE);
        options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
        options.open(file)?.set_permissions(Permissions::from_mode(MODE))?;
    }
    Ok(())
}

/// Why there is no usable schema.
enum MigrateError {
    /// It is newer than this program.
    Newer(i64),
    /// The database failed.
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for MigrateError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Applies what is missing, each step whole or not at all.
fn migrate(connection: &mut Connection, migrations: Migrations) -> Result<(), MigrateError> {
    let found = version(connection)?;
    if found > migrations.len() as i64 {
        return Err(MigrateError::Newer(found));
    }
    for (i, sql) in migrations.iter().enumerate().skip(found.max(0) as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", i as i64 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}
