//! A queue of work: jobs of many batches, which any number of workers take.
//!
//! One process creates a job ([`create_fleet_job`], [`add_batches`]), waits ([`advance_fleet_job`]),
//! reads the results and removes the job. Workers lease batches ([`lease_batch`]). A lease that ends
//! without a result goes to another worker. Each lease of a batch has a higher epoch, the fencing
//! token: a worker whose lease has ended can neither prolong it nor store a result, so each batch has
//! one result. Times are in microseconds since 1970; the clocks of all processes should agree within
//! a fraction of a lease.

mod batch;

use crate::compression::{compress, decompress};
use crate::database::{Connection, Database, write};
use crate::error::FleetStoreError;
use crate::rows::insert;
use crate::time::{DAY, SECOND};
use crate::value::Value;

pub use batch::{LeasedBatch, complete_batch, fail_batch, lease_batch, renew_batch};

/// The time for which a job is kept after its end, if the process that waited for it was killed.
const RETENTION: i64 = DAY / 24;

/// The time after which a job ends, unless [`advance_fleet_job`] is called.
const TTL: i64 = 60 * SECOND;

/// A job without its batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetJob {
    /// Its id.
    pub id: i64,
    /// When it was created.
    pub created: i64,
    /// The user who created it.
    pub actor: String,
    /// The code and the options, as JSON.
    pub specification: String,
}

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetJobProgress {
    /// The number of batches.
    pub batches: i64,
    /// The number of batches with a result.
    pub done: i64,
    /// The number of batches that are leased.
    pub leased: i64,
    /// The number of workers that lease batches.
    pub workers: i64,
    /// A batch that had all of its attempts, with the error of the last one that ended with one.
    pub failed: Option<(i64, Option<String>)>,
}

/// Creates a job without batches. Returns its id. Deletes jobs that ended long ago.
///
/// # Errors
/// When the database fails.
pub fn create_fleet_job(
    connection: &mut dyn Connection,
    actor: &str,
    specification: &str,
    now: i64,
) -> Result<i64, FleetStoreError> {
    delete_old_fleet_jobs(connection, now)?;
    let sql = "INSERT INTO fleet_jobs (created, actor, specification, expires)
               VALUES ($1, $2, $3, $4) RETURNING id";
    let row = [now.into(), actor.into(), specification.into(), now.saturating_add(TTL).into()];
    let id = connection.value(sql, &row)?;
    id.ok_or_else(|| FleetStoreError::failed("no id of the job"))?.integer()
}

/// Adds batches to a job. The first one gets the number `first`.
///
/// # Errors
/// When the database fails.
pub fn add_batches(
    connection: &mut dyn Connection,
    job: i64,
    first: i64,
    inputs: &[Vec<u8>],
) -> Result<(), FleetStoreError> {
    let columns = ["job_id", "ordinal", "due", "epoch", "input"];
    let row = |(input, ordinal): (&Vec<u8>, i64)| -> Result<Vec<Value>, FleetStoreError> {
        let (due, epoch) = (0i64, 0i64);
        Ok(vec![job.into(), ordinal.into(), due.into(), epoch.into(), compress(input)?.into()])
    };
    let rows: Vec<Vec<Value>> = inputs.iter().zip(first..).map(row).collect::<Result<_, _>>()?;
    insert(connection, "fleet_job_batches", &columns, &rows, "")
}

/// Stores data that all batches need.
///
/// # Errors
/// When the database fails.
pub fn put_shared_input(
    connection: &mut dyn Connection,
    job: i64,
    shared: &[u8],
) -> Result<(), FleetStoreError> {
    let sql = "UPDATE fleet_jobs SET shared = $1 WHERE id = $2";
    connection.execute(sql, &[compress(shared)?.into(), job.into()]).map(drop)
}

/// The data that all batches need, if the job has some.
///
/// # Errors
/// When the database fails.
pub fn shared_input(
    connection: &mut dyn Connection,
    job: i64,
) -> Result<Option<Vec<u8>>, FleetStoreError> {
    let shared = connection.value("SELECT shared FROM fleet_jobs WHERE id = $1", &[job.into()])?;
    let bytes = shared.as_ref().map(|shared| shared.optional(Value::bytes)).transpose()?.flatten();
    bytes.map(decompress).transpose()
}

/// The jobs that have not ended, from the oldest.
///
/// # Errors
/// When the database fails.
pub fn open_fleet_jobs(
    connection: &mut dyn Connection,
    now: i64,
) -> Result<Vec<FleetJob>, FleetStoreError> {
    let sql = "SELECT id, created, actor, specification FROM fleet_jobs
               WHERE expires > $1 ORDER BY id";
    let rows = connection.rows(sql, &[now.into()])?;
    let job = |row: &Vec<Value>| match &row[..] {
        [id, created, actor, specification] => Ok(FleetJob {
            id: id.integer()?,
            created: created.integer()?,
            actor: actor.text()?.to_owned(),
            specification: specification.text()?.to_owned(),
        }),
        _ => Err(FleetStoreError::failed("four columns expected")),
    };
    rows.iter().map(job).collect()
}

/// Keeps a job from ending, and counts its batches. Batches fail after `attempts` leases without a
/// result. `None` if the job is gone.
///
/// # Errors
/// When the database fails.
pub fn advance_fleet_job(
    connection: &mut dyn Connection,
    job: i64,
    attempts: i64,
    now: i64,
) -> Result<Option<FleetJobProgress>, FleetStoreError> {
    let expires = [now.saturating_add(TTL).into(), job.into()];
    if connection.execute("UPDATE fleet_jobs SET expires = $1 WHERE id = $2", &expires)? == 0 {
        return Ok(None);
    }
    let sql = "SELECT count(*), count(CASE WHEN due IS NULL THEN 1 END),
                   count(CASE WHEN due > $1 THEN 1 END),
                   count(DISTINCT CASE WHEN due > $1 THEN worker END)
               FROM fleet_job_batches WHERE job_id = $2";
    let counts = connection.row(sql, &[now.into(), job.into()])?;
    let [batches, done, leased, workers] = counts.as_deref().unwrap_or_default() else {
        return Err(FleetStoreError::failed("four columns expected"));
    };
    let sql = "SELECT ordinal, error FROM fleet_job_batches
               WHERE job_id = $1 AND due <= $2 AND epoch >= $3 ORDER BY ordinal";
    let failed = match connection.row(sql, &[job.into(), now.into(), attempts.into()])?.as_deref() {
        Some([ordinal, error]) => {
            Some((ordinal.integer()?, error.optional(Value::text)?.map(str::to_owned)))
        }
        _ => None,
    };
    Ok(Some(FleetJobProgress {
        batches: batches.integer()?,
        done: done.integer()?,
        leased: leased.integer()?,
        workers: workers.integer()?,
        failed,
    }))
}

/// The results of batches, from the number `first` up to the first batch that has none, but at most
/// `limit`.
///
/// # Errors
/// When the database fails.
pub fn batch_results(
    connection: &mut dyn Connection,
    job: i64,
    first: i64,
    limit: i64,
) -> Result<Vec<Vec<u8>>, FleetStoreError> {
    let sql = "SELECT ordinal, result FROM fleet_job_batches
               WHERE job_id = $1 AND ordinal >= $2 AND due IS NULL ORDER BY ordinal LIMIT $3";
    let rows = connection.rows(sql, &[job.into(), first.into(), limit.into()])?;
    let mut results = Vec::with_capacity(rows.len());
    for (row, expected) in rows.iter().zip(first..) {
        match &row[..] {
            [ordinal, result] if ordinal.integer()? == expected => {
                results.push(decompress(result.bytes()?)?);
            }
            _ => break,
        }
    }
    Ok(results)
}

/// Deletes a job with its batches.
///
/// # Errors
/// When the database fails.
pub fn remove_fleet_job(connection: &mut dyn Connection, job: i64) -> Result<(), FleetStoreError> {
    connection.execute("DELETE FROM fleet_job_batches WHERE job_id = $1", &[job.into()])?;
    connection.execute("DELETE FROM fleet_jobs WHERE id = $1", &[job.into()]).map(drop)
}

/// Deletes jobs that ended more than an hour ago, because nobody waited for their results any more.
/// Returns their number.
///
/// # Errors
/// When the database fails.
pub fn delete_old_fleet_jobs(
    connection: &mut dyn Connection,
    now: i64,
) -> Result<u64, FleetStoreError> {
    let end = [now.saturating_sub(RETENTION).into()];
    let old = connection.rows("SELECT id FROM fleet_jobs WHERE expires < $1", &end)?;
    for row in &old {
        if let [id] = &row[..] {
            remove_fleet_job(connection, id.integer()?)?;
        }
    }
    Ok(old.len() as u64)
}

/// Deletes old jobs, as a step of the garbage collection.
pub(crate) fn collect(database: &dyn Database, now: i64) -> Result<u64, FleetStoreError> {
    write(database, |connection| delete_old_fleet_jobs(connection, now))
}
