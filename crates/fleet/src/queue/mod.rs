//! Comparisons whose nodes are compiled by other processes.
//!
//! [`diff_queued`] puts the nodes into the queue of a database, in batches, and waits for the results.
//! [`work`] is a worker: it takes batches from the queue, of any job whose commits its repository has.

mod coordinator;
mod leases;
mod messages;
mod worker;

use std::time::Duration;

pub use coordinator::{Queue, diff_queued};
pub use worker::{WorkerEvent, WorkerOptions, work};

/// The number of leases of a batch without a result, after which the comparison fails.
const ATTEMPTS: i64 = 3;

/// The time between two looks at the queue.
const POLL: Duration = Duration::from_millis(200);

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
