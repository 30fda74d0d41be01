//! The lease of a batch, which a thread prolongs while the batch is compiled.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ordain_fleet_store::{
    Database, FleetStoreError, LeasedBatch, complete_batch, fail_batch, lease_batch, now,
    renew_batch, write,
};

use super::{ATTEMPTS, micros};

/// A leased batch.
pub(super) struct Lease {
    database: Arc<dyn Database>,
    pub(super) batch: LeasedBatch,
    /// Ends the thread when it is dropped.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lease {
    /// Leases a batch of a job for `time`, and again whenever a third of it has passed.
    pub(super) fn take(
        database: &Arc<dyn Database>,
        job: i64,
        worker: &str,
        time: Duration,
    ) -> Result<Option<Self>, FleetStoreError> {
        let lease = |connection: &mut dyn ordain_fleet_store::Connection| {
            let now = now();
            lease_batch(connection, job, worker, ATTEMPTS, (now, now + micros(time)))
        };
        let Some(batch) = write(&**database, lease)? else { return Ok(None) };
        let (end, ended) = channel();
        let LeasedBatch { job, ordinal, epoch, .. } = batch;
        let own = LeasedBatch { job, ordinal, epoch, input: Vec::new() };
        let renewing = Arc::clone(database);
        let renew = move || {
            while ended.recv_timeout(time / 3) == Err(RecvTimeoutError::Timeout) {
                let renewed = write(&*renewing, |connection| {
                    let now = now();
                    renew_batch(connection, &own, (now, now + micros(time)))
                });
                // While the database does not answer, the lease may still be prolonged later.
                if let Ok(false) = renewed {
                    break;
                }
            }
        };
        // Without the thread the lease only lasts for its first time.
        let thread = std::thread::Builder::new().name("lease".into()).spawn(renew).ok();
        Ok(Some(Self { database: Arc::clone(database), batch, end: Some(end), thread }))
    }

    /// Stores the result. Returns false if the lease had ended: another worker does the batch.
    pub(super) fn complete(&self, result: &[u8]) -> Result<bool, FleetStoreError> {
        write(&*self.database, |connection| complete_batch(connection, &self.batch, result, now()))
    }

    /// Gives the batch back with an error. Returns false if the lease had ended.
    pub(super) fn fail(&self, error: &str) -> Result<bool, FleetStoreError> {
        write(&*self.database, |connection| fail_batch(connection, &self.batch, error, now()))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has ended the renewals, which the lease outlives.
            let _ = thread.join();
        }
    }
}
