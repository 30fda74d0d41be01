//! Brings the schema of a database up to date.

use rusqlite::Connection;

/// The steps; step n leads to schema n + 1. A released step is never changed.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_runs.sql")];

/// The newest schema.
pub(crate) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// Why there is no usable schema.
pub(crate) enum MigrateError {
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
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), MigrateError> {
    let found = version(connection)?;
    if found > NEWEST {
        return Err(MigrateError::Newer(found));
    }
    for (i, sql) in MIGRATIONS.iter().enumerate().skip(found.max(0) as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", i as i64 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}
