//! Moves on the runs of many nodes that users of the web explorer start. Any server of a database
//! takes over the runs of one that was killed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_fleet::{FleetError, FleetRunLimits, FleetRunState, NodeStore, RunDriver};
use ordain_fleet_store::{fleet_runs_of_servers, read};

use crate::server::Server;

/// The time between two steps.
const INTERVAL: Duration = Duration::from_millis(500);
/// The share of time that steps take at most: large runs take steps less often.
const MAX_SHARE: u32 = 5;

type Drivers = BTreeMap<i64, RunDriver>;

/// Moves runs on until the server ends.
pub(crate) async fn drive_fleet_runs(server: Arc<Server>) {
    let mut end = server.ending.subscribe();
    let mut drivers = Drivers::new();
    let mut failed = String::new();
    loop {
        let begin = Instant::now();
        let working = Arc::clone(&server);
        let turn = move || {
            let result = step_all(&working, &mut drivers);
            (drivers, result)
        };
        let error = match tokio::task::spawn_blocking(turn).await {
            Ok((held, result)) => {
                drivers = held;
                result.map_or_else(|error| error.to_string(), |()| String::new())
            }
            Err(error) => {
                // The leases of the lost drivers end by themselves.
                drivers = Drivers::new();
                error.to_string()
            }
        };
        if !error.is_empty() && error != failed {
            tracing::error!(error, "runs of many nodes are not moved on");
        }
        failed = error;
        tokio::select! {
            () = tokio::time::sleep(INTERVAL.max(begin.elapsed() * MAX_SHARE)) => {}
            () = async { let _ = end.wait_for(|is_ending| *is_ending).await; } => break,
        }
    }
    // Releases the leases, so that another server goes on at once.
    let _ = tokio::task::spawn_blocking(move || drop(drivers)).await;
}

/// Moves each run on by a step. Blocks.
fn step_all(server: &Server, drivers: &mut Drivers) -> Result<(), FleetError> {
    let database = server.queries.shared_database();
    let found = read(&*database, None, fleet_runs_of_servers);
    let found = found.map_err(|error| FleetError::Source(format!("the store: {error}")))?;
    drivers.retain(|id, _| found.contains(id));
    let store = NodeStore::of(database);
    for id in found {
        let driver = match drivers.entry(id) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => {
                match RunDriver::take_over(&store, id, FleetRunLimits::DEFAULT)? {
                    Some(driver) => place.insert(driver),
                    // Another process moves it on.
                    None => continue,
                }
            }
        };
        match driver.step() {
            Ok(step) if step.run.state == FleetRunState::Running => {}
            Ok(step) => {
                let (state, reason) = (step.run.state.as_str(), step.stop.unwrap_or_default());
                tracing::info!(run = id, state, reason, "a run of many nodes has ended");
                drivers.remove(&id);
            }
            Err(error) => {
                drivers.remove(&id);
                return Err(error);
            }
        }
    }
    Ok(())
}
