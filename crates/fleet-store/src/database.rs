//! The interface to a database.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::value::Value;

/// A connection within a transaction.
///
/// Statements use the parameters `$1`, `$2` and so on. Their first appearances must be in this
/// order, because SQLite numbers parameters that way.
pub trait Connection {
    /// The SQL dialect.
    fn dialect(&self) -> Dialect;

    /// Runs a statement. Returns the number of rows that changed.
    ///
    /// # Errors
    /// When the database fails.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, FleetStoreError>;

    /// Runs a query and passes each row to a function until the function breaks.
    ///
    /// # Errors
    /// When the database or the function fails.
    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value],
        row: &mut RowFunction<'_>,
    ) -> Result<(), FleetStoreError>;

    /// Runs several statements without parameters.
    ///
    /// # Errors
    /// When the database fails.
    fn batch(&mut self, sql: &str) -> Result<(), FleetStoreError>;
}

/// Receives the values of a row. Breaks to end the query.
pub type RowFunction<'a> = dyn FnMut(&[Value]) -> Result<ControlFlow<()>, FleetStoreError> + 'a;

/// The body of a transaction. After a conflict with another transaction, it runs again.
pub type TransactionBody<'a> = dyn FnMut(&mut dyn Connection) -> Result<(), FleetStoreError> + 'a;

/// A database. All methods block: asynchronous programs must call them on a blocking thread.
pub trait Database: Send + Sync + std::fmt::Debug {
    /// The SQL dialect.
    fn dialect(&self) -> Dialect;

    /// Runs a read-only transaction.
    ///
    /// # Errors
    /// When the database or the body fails, or a statement exceeds the time limit.
    fn read(
        &self,
        limit: Option<Duration>,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError>;

    /// Updates the statistics by which the database chooses indexes. Call it regularly if the
    /// database does not do that itself.
    ///
    /// # Errors
    /// When the database fails.
    fn update_statistics(&self) -> Result<(), FleetStoreError> {
        Ok(())
    }

    /// Runs a transaction. When it returns without an error, the changes are on disk.
    ///
    /// # Errors
    /// When the database or the body fails; then nothing has changed.
    fn write(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError>;

    /// Runs a transaction that finds all rows by their keys. The database reads no table as a whole,
    /// even if its statistics are older than most rows.
    ///
    /// # Errors
    /// The same as [`Self::write`].
    fn write_by_keys(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        self.write(work)
    }
}

impl dyn Connection + '_ {
    /// The rows of a query.
    ///
    /// # Errors
    /// When the database fails.
    pub fn rows(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Vec<Vec<Value>>, FleetStoreError> {
        let mut rows = Vec::new();
        self.each(sql, parameters, &mut |row| {
            rows.push(row.to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(rows)
    }

    /// The first row of a query.
    ///
    /// # Errors
    /// When the database fails.
    pub fn row(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Option<Vec<Value>>, FleetStoreError> {
        let mut first = None;
        self.each(sql, parameters, &mut |row| {
            first = Some(row.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(first)
    }

    /// The first column of the first row.
    ///
    /// # Errors
    /// When the database fails.
    pub fn value(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Option<Value>, FleetStoreError> {
        let row = self.row(sql, parameters)?;
        Ok(row.and_then(|row| row.into_iter().next()))
    }
}

/// Runs a read-only transaction and returns the result of its body.
///
/// # Errors
/// The same as [`Database::read`].
pub fn read<T>(
    database: &dyn Database,
    limit: Option<Duration>,
    work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    result_of(|body| database.read(limit, body), work)
}

/// Runs a transaction and returns the result of its body.
///
/// # Errors
/// The same as [`Database::write`].
pub fn write<T>(
    database: &dyn Database,
    work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    result_of(|body| database.write(body), work)
}

/// Runs a transaction that finds all rows by their keys, and returns the result of its body.
///
/// # Errors
/// The same as [`Database::write_by_keys`].
pub(crate) fn write_by_keys<T>(
    database: &dyn Database,
    work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    result_of(|body| database.write_by_keys(body), work)
}

/// Runs a transaction, and returns the result of its body.
fn result_of<T>(
    transaction: impl FnOnce(&mut TransactionBody<'_>) -> Result<(), FleetStoreError>,
    mut work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    let mut result = None;
    transaction(&mut |connection| {
        result = Some(work(connection)?);
        Ok(())
    })?;
    result.ok_or_else(|| FleetStoreError::failed("the transaction did nothing"))
}
