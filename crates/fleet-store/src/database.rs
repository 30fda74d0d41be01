//! The interface to a database.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::value::Value;

/// A connection within a transaction.
///
/// Parameters are written `$1`, `$2` and so on, and appear first in this order, since SQLite numbers
/// them by their first appearance.
pub trait Connection {
    /// The SQL that it speaks.
    fn dialect(&self) -> Dialect;

    /// Runs a statement; returns the number of rows that it changed.
    ///
    /// # Errors
    /// When the database fails.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, FleetStoreError>;

    /// Runs a query and passes each row to a function, until it breaks.
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

/// Gets the values of a row; breaks to end the query.
pub type RowFunction<'a> = dyn FnMut(&[Value]) -> Result<ControlFlow<()>, FleetStoreError> + 'a;

/// The work of a transaction. It may run several times, if another transaction was in its way.
pub type Work<'a> = dyn FnMut(&mut dyn Connection) -> Result<(), FleetStoreError> + 'a;

/// A database. Its calls block: an asynchronous program makes them on a thread for blocking work.
pub trait Database: Send + Sync + std::fmt::Debug {
    /// The SQL that it speaks.
    fn dialect(&self) -> Dialect;

    /// Runs a transaction that only reads.
    ///
    /// # Errors
    /// When the database or the work fails, or a statement takes longer than the limit.
    fn read(&self, limit: Option<Duration>, work: &mut Work<'_>) -> Result<(), FleetStoreError>;

    /// Notes how values are distributed, by which the database chooses indexes. To be called now
    /// and then, if the database does not do it itself.
    ///
    /// # Errors
    /// When the database fails.
    fn update_statistics(&self) -> Result<(), FleetStoreError> {
        Ok(())
    }

    /// Runs a transaction. When it returns without an error, the change is durable.
    ///
    /// # Errors
    /// When the database or the work fails; then nothing was changed.
    fn write(&self, work: &mut Work<'_>) -> Result<(), FleetStoreError>;
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

/// Runs a transaction that reads, and returns the result of the work.
///
/// # Errors
/// As of [`Database::read`].
pub fn read<T>(
    database: &dyn Database,
    limit: Option<Duration>,
    mut work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    let mut result = None;
    database.read(limit, &mut |connection| {
        result = Some(work(connection)?);
        Ok(())
    })?;
    result.ok_or_else(|| FleetStoreError::failed("the transaction did nothing"))
}

/// Runs a transaction, and returns the result of the work.
///
/// # Errors
/// As of [`Database::write`].
pub fn write<T>(
    database: &dyn Database,
    mut work: impl FnMut(&mut dyn Connection) -> Result<T, FleetStoreError>,
) -> Result<T, FleetStoreError> {
    let mut result = None;
    database.write(&mut |connection| {
        result = Some(work(connection)?);
        Ok(())
    })?;
    result.ok_or_else(|| FleetStoreError::failed("the transaction did nothing"))
}
