//! Retention: old reports, nodes that send nothing, and shared rows that nothing refers to.
//!
//! Each step is a transaction over a bounded number of rows that an index finds, so commands are
//! stored meanwhile, and a collection may end at any time and go on later.

mod nodes;
mod reports;
mod shared;
mod step;

use std::time::{Duration, Instant};

use crate::database::Database;
use crate::error::FleetStoreError;
use crate::gc::step::Step;
use crate::time::DAY;

/// The retention times, in microseconds. `None` is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The retention time of reports and their events.
    pub reports: Option<i64>,
    /// After which silence a node counts as expired.
    pub node_expiry: Option<i64>,
    /// The retention time of a deactivated or expired node.
    pub node_purge: Option<i64>,
}

impl Default for Retention {
    /// PuppetDB's: reports 14 days, nodes 7 days, and 14 days after that.
    fn default() -> Self {
        Self { reports: Some(14 * DAY), node_expiry: Some(7 * DAY), node_purge: Some(14 * DAY) }
    }
}

/// The numbers of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// The number of nodes that expired.
    pub expired_nodes: u64,
    /// The number of nodes that were deleted.
    pub purged_nodes: u64,
    /// The number of reports that were deleted.
    pub reports: u64,
    /// The number of shared rows that were deleted.
    pub shared: u64,
    /// Whether everything was looked at before the time was up.
    pub is_complete: bool,
}

/// Applies the retention for at most about this long. `now` is in microseconds since 1970.
///
/// # Errors
/// When the database fails.
pub fn collect_garbage(
    database: &dyn Database,
    retention: &Retention,
    now: i64,
    budget: Duration,
) -> Result<Collected, FleetStoreError> {
    let end = Instant::now() + budget;
    let mut collected = Collected::default();
    let in_time = || Instant::now() < end;
    if let Some(age) = retention.node_expiry {
        collected.expired_nodes =
            repeat(in_time, || nodes::expire(database, now, now.saturating_sub(age)))?;
    }
    if let Some(age) = retention.reports {
        collected.reports = repeat(in_time, || reports::delete(database, now.saturating_sub(age)))?;
    }
    if let Some(age) = retention.node_purge {
        let horizon = now.saturating_sub(age);
        collected.purged_nodes = repeat(in_time, || nodes::purge(database, horizon))?;
    }
    let mut finished = true;
    for sweep in shared::SWEEPS {
        let (deleted, is_done) = shared::sweep(database, sweep, now, &in_time)?;
        collected.shared += deleted;
        finished &= is_done;
    }
    collected.shared += shared::environments(database, now)?;
    collected.is_complete = finished && in_time();
    Ok(collected)
}

fn repeat(
    in_time: impl Fn() -> bool,
    mut step: impl FnMut() -> Result<Step, FleetStoreError>,
) -> Result<u64, FleetStoreError> {
    let mut count = 0;
    while in_time() {
        let step = step()?;
        count += step.count;
        if !step.more {
            break;
        }
    }
    Ok(count)
}
