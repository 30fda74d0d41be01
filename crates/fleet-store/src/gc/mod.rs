//! Garbage collection: old reports and catalogs, nodes that stopped sending data, and unreferenced
//! shared rows.
//!
//! Each step is a transaction over a bounded number of rows found through an index. So commands can
//! be stored in between, and a collection can stop at any time and continue later.

mod catalogs;
mod nodes;
mod reports;
mod shared;
mod step;

use std::time::{Duration, Instant};

use crate::database::Database;
use crate::error::FleetStoreError;
use crate::gc::step::Step;
use crate::time::DAY;

/// The retention times, in microseconds, and numbers. `None` means forever, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// How long reports and their events are stored.
    pub reports: Option<i64>,
    /// How long earlier catalogs are stored after the next one has replaced them.
    pub catalogs: Option<i64>,
    /// The maximum number of earlier catalogs of a node.
    pub catalogs_per_node: Option<u32>,
    /// How long after its last data a node expires.
    pub node_expiry: Option<i64>,
    /// How long a deactivated or expired node is stored.
    pub node_purge: Option<i64>,
}

impl Default for Retention {
    /// PuppetDB's defaults: reports are stored for 14 days, nodes expire after 7 days and are
    /// deleted 14 days later. Earlier catalogs, which PuppetDB does not store, are stored as long as
    /// reports, at most 20 of a node.
    fn default() -> Self {
        Self {
            reports: Some(14 * DAY),
            catalogs: Some(14 * DAY),
            catalogs_per_node: Some(20),
            node_expiry: Some(7 * DAY),
            node_purge: Some(14 * DAY),
        }
    }
}

/// The results of a garbage collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GcStats {
    /// The number of nodes that expired.
    pub expired_nodes: u64,
    /// The number of nodes that were deleted.
    pub purged_nodes: u64,
    /// The number of reports that were deleted.
    pub reports: u64,
    /// The number of earlier catalogs that were deleted, without those of deleted nodes.
    pub catalogs: u64,
    /// The number of comparisons that nobody waited for any more, and that were deleted.
    pub fleet_jobs: u64,
    /// The number of shared rows that were deleted.
    pub shared: u64,
    /// Whether everything was checked before the time ran out.
    pub is_complete: bool,
}

/// Applies the retention times for about `budget` at most. `now` is in microseconds since 1970.
///
/// # Errors
/// When the database fails.
pub fn collect_garbage(
    database: &dyn Database,
    retention: &Retention,
    now: i64,
    budget: Duration,
) -> Result<GcStats, FleetStoreError> {
    let end = Instant::now() + budget;
    let mut collected = GcStats::default();
    let in_time = || Instant::now() < end;
    if let Some(age) = retention.node_expiry {
        collected.expired_nodes =
            repeat(in_time, || nodes::expire(database, now, now.saturating_sub(age)))?;
    }
    if let Some(age) = retention.reports {
        collected.reports = repeat(in_time, || reports::delete(database, now.saturating_sub(age)))?;
    }
    if let Some(age) = retention.catalogs {
        collected.catalogs =
            repeat(in_time, || catalogs::delete_old(database, now.saturating_sub(age)))?;
    }
    if let Some(most) = retention.catalogs_per_node {
        let mut after = i64::MIN;
        collected.catalogs +=
            repeat(in_time, || catalogs::delete_surplus(database, most, &mut after))?;
    }
    if let Some(age) = retention.node_purge {
        let horizon = now.saturating_sub(age);
        collected.purged_nodes = repeat(in_time, || nodes::purge(database, horizon))?;
    }
    collected.fleet_jobs = crate::fleet_jobs::collect(database, now)?;
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
