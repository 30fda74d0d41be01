//! The leases of batches.

use crate::compression::{compress, decompress};
use crate::database::Connection;
use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::value::Value;

/// A batch that a worker has leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedBatch {
    /// The job.
    pub job: i64,
    /// The number of the batch in its job.
    pub ordinal: i64,
    /// The number of this lease among those of the batch, from 1: the fencing token.
    pub epoch: i64,
    /// The input.
    pub input: Vec<u8>,
}

/// Leases a batch of a job to a worker until `end`. `None` if no batch is due: all have a result, a
/// lease, or `attempts` leases behind them.
///
/// # Errors
/// When the database fails.
pub fn lease_batch(
    connection: &mut dyn Connection,
    job: i64,
    worker: &str,
    attempts: i64,
    (now, end): (i64, i64),
) -> Result<Option<LeasedBatch>, FleetStoreError> {
    // Workers that lease at the same time do not wait for each other. SQLite has one writer at a time.
    let lock = match connection.dialect() {
        Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
        Dialect::Sqlite => "",
    };
    let sql = format!(
        "SELECT ordinal, epoch, input FROM fleet_job_batches
         WHERE job_id = $1 AND due <= $2 AND epoch < $3 ORDER BY due, ordinal LIMIT 1 {lock}"
    );
    let found = connection.row(&sql, &[job.into(), now.into(), attempts.into()])?;
    let Some(row) = found else { return Ok(None) };
    let [ordinal, epoch, input] = &row[..] else {
        return Err(FleetStoreError::failed("three columns expected"));
    };
    let (ordinal, epoch) = (ordinal.integer()?, epoch.integer()? + 1);
    let sql = "UPDATE fleet_job_batches SET due = $1, epoch = $2, worker = $3
               WHERE job_id = $4 AND ordinal = $5";
    let lease: [Value; 5] = [end.into(), epoch.into(), worker.into(), job.into(), ordinal.into()];
    connection.execute(sql, &lease)?;
    Ok(Some(LeasedBatch { job, ordinal, epoch, input: decompress(input.bytes()?)? }))
}

/// Prolongs a lease until `end`. Returns false if it has ended.
///
/// # Errors
/// When the database fails.
pub fn renew_batch(
    connection: &mut dyn Connection,
    batch: &LeasedBatch,
    (now, end): (i64, i64),
) -> Result<bool, FleetStoreError> {
    change(connection, batch, "due = $1", &[end.into()], now)
}

/// Stores the result of a batch. Returns false, and stores nothing, if the lease has ended.
///
/// # Errors
/// When the database fails.
pub fn complete_batch(
    connection: &mut dyn Connection,
    batch: &LeasedBatch,
    result: &[u8],
    now: i64,
) -> Result<bool, FleetStoreError> {
    let set = "result = $1, due = NULL, input = NULL";
    change(connection, batch, set, &[compress(result)?.into()], now)
}

/// Ends a lease without a result. Another worker may lease the batch at once. Returns false if the
/// lease has ended already.
///
/// # Errors
/// When the database fails.
pub fn fail_batch(
    connection: &mut dyn Connection,
    batch: &LeasedBatch,
    error: &str,
    now: i64,
) -> Result<bool, FleetStoreError> {
    change(connection, batch, "error = $1, due = $2", &[error.into(), now.into()], now)
}

/// Changes a batch whose lease has not ended.
fn change(
    connection: &mut dyn Connection,
    batch: &LeasedBatch,
    set: &str,
    values: &[Value],
    now: i64,
) -> Result<bool, FleetStoreError> {
    let [job, ordinal, epoch, due] = [1, 2, 3, 4].map(|number| values.len() + number);
    let sql = format!(
        "UPDATE fleet_job_batches SET {set}
         WHERE job_id = ${job} AND ordinal = ${ordinal} AND epoch = ${epoch} AND due > ${due}"
    );
    let mut parameters = values.to_vec();
    parameters.extend([batch.job.into(), batch.ordinal.into(), batch.epoch.into(), now.into()]);
    Ok(connection.execute(&sql, &parameters)? == 1)
}
