//! Runs of many nodes, which a process moves on until all nodes had their turn.

use std::collections::HashSet;

use ordain_fleet_store::{
    Connection, FleetRunLimits, FleetRunState, FleetRunStep, FleetStoreError, acquire_lease,
    create_fleet_run, fleet_run, fleet_run_nodes, last_fleet_run, now, read, release_lease,
    resume_fleet_run, step_fleet_run, write,
};
use ordain_source::suggest;

use super::{NodeStore, StoredNode, failed};
use crate::error::FleetError;

/// The time for which no other process may move a run on, in microseconds. A killed process keeps
/// others out for no longer.
const LEASE: i64 = 5_000_000;

/// The nodes of a run that come first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Canaries {
    /// The first ones by name.
    Number(usize),
    /// These.
    Names(Vec<String>),
}

/// Moves a run on. Only one process does so at a time.
pub struct RunDriver<'s> {
    store: &'s NodeStore,
    /// The id of the run.
    pub id: i64,
    holder: String,
    limits: FleetRunLimits,
    /// The nodes that had failed before the run was resumed.
    ignored: HashSet<i64>,
}

/// The order of a run: the canaries, then the others.
///
/// # Errors
/// When a canary is not among the nodes.
pub fn run_order(
    nodes: &[StoredNode],
    canaries: &Canaries,
) -> Result<Vec<(String, bool)>, FleetError> {
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    let chosen: HashSet<&str> = match canaries {
        Canaries::Number(number) => names.iter().copied().take(*number).collect(),
        Canaries::Names(wanted) => {
            if let Some(missing) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
                let near = suggest::nearest(missing, names.iter().copied()).map(str::to_owned);
                return Err(FleetError::UnknownNode { name: missing.clone(), near });
            }
            wanted.iter().map(String::as_str).collect()
        }
    };
    let part = |is_canary: bool| {
        let names = names.iter().filter(|name| chosen.contains(*name) == is_canary);
        names.map(|name| ((*name).to_owned(), is_canary)).collect::<Vec<_>>()
    };
    Ok([part(true), part(false)].concat())
}

impl<'s> RunDriver<'s> {
    /// Starts a run of nodes in this order, at most `at_once` at a time. It stops when `stop_at`
    /// percent of them have failed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn start(
        store: &'s NodeStore,
        nodes: &[(String, bool)],
        (at_once, stop_at): (i64, i64),
        limits: FleetRunLimits,
        actor: &str,
    ) -> Result<Self, FleetError> {
        let holder = holder();
        let create = |connection: &mut dyn Connection| {
            let id = create_fleet_run(connection, (actor, at_once, stop_at), nodes, now())?;
            lease(connection, id, &holder)?;
            Ok(id)
        };
        let id = write(&*store.database, create).map_err(failed)?;
        Ok(Self { store, id, holder, limits, ignored: HashSet::new() })
    }

    /// Goes on with a run. Nodes that had their turn have no second one, and their failures do not
    /// count any more.
    ///
    /// # Errors
    /// When the database fails, there is no such run, it is finished, or another process moves it on.
    pub fn resume(
        store: &'s NodeStore,
        id: i64,
        changes: (Option<i64>, Option<i64>),
        limits: FleetRunLimits,
    ) -> Result<Self, FleetError> {
        let holder = holder();
        let found = read(&*store.database, None, |connection| {
            Ok((fleet_run(connection, id)?, last_fleet_run(connection)?))
        });
        let run = match found.map_err(failed)? {
            (Some(run), _) => run,
            (None, Some(last)) => {
                return Err(FleetError::Rule(format!(
                    "there is no run {id}; the last one is {last}"
                )));
            }
            (None, None) => return Err(FleetError::Rule(format!("there is no run {id}"))),
        };
        if run.state == FleetRunState::Finished {
            return Err(FleetError::Rule(format!("the run {id} is finished")));
        }
        let is_ours = write(&*store.database, |connection| lease(connection, id, &holder));
        if !is_ours.map_err(failed)? {
            let text = format!(
                "another process moves the run {id} on; if it was killed, wait for 5 seconds"
            );
            return Err(FleetError::Rule(text));
        }
        let mut driver = Self { store, id, holder, limits, ignored: HashSet::new() };
        if run.state == FleetRunState::Stopped {
            let nodes = |connection: &mut dyn Connection| fleet_run_nodes(connection, id);
            let nodes = read(&*store.database, None, nodes).map_err(failed)?;
            let over = nodes.iter().filter(|node| node.state.is_over());
            driver.ignored = over.map(|node| node.ordinal).collect();
        }
        write(&*store.database, |connection| resume_fleet_run(connection, id, changes))
            .map_err(failed)?;
        Ok(driver)
    }

    /// Moves the run on.
    ///
    /// # Errors
    /// When the database fails, or another process has taken over.
    pub fn step(&self) -> Result<FleetRunStep, FleetError> {
        let step = |connection: &mut dyn Connection| {
            if !lease(connection, self.id, &self.holder)? {
                return Ok(None);
            }
            step_fleet_run(connection, self.id, self.limits, &self.ignored, now()).map(Some)
        };
        let step = write(&*self.store.database, step).map_err(failed)?;
        step.ok_or_else(|| FleetError::Rule("another process has taken over the run".to_owned()))
    }
}

impl Drop for RunDriver<'_> {
    fn drop(&mut self) {
        // Otherwise the lease ends by itself.
        let _ = write(&*self.store.database, |connection| {
            release_lease(connection, &lease_name(self.id), &self.holder)
        });
    }
}

fn lease_name(id: i64) -> String {
    format!("fleet-run-{id}")
}

fn lease(connection: &mut dyn Connection, id: i64, holder: &str) -> Result<bool, FleetStoreError> {
    let now = now();
    let times = (now, now.saturating_add(LEASE));
    Ok(acquire_lease(connection, &lease_name(id), holder, times)?.is_some())
}

/// A name of this process that no other one has.
fn holder() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}-{}-{}", host.trim(), std::process::id(), now())
}
