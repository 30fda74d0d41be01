//! Runs of many nodes, which a process moves on until all nodes had their turn.

use std::collections::HashSet;
use std::sync::Arc;

use ordain_fleet_store::{
    Connection, Database, FleetRunLimits, FleetRunResume, FleetRunSettings, FleetRunState,
    FleetRunStep, FleetStoreError, acquire_lease, create_fleet_run, fleet_run, last_fleet_run, now,
    read, release_lease, resume_fleet_run, step_fleet_run, write,
};
use ordain_source::suggest;

use super::{NodeStore, failed};
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
pub struct RunDriver {
    database: Arc<dyn Database>,
    /// The id of the run.
    pub id: i64,
    holder: String,
    limits: FleetRunLimits,
}

/// The order of a run: the canaries, then the others.
///
/// # Errors
/// When a canary is not among the nodes.
pub fn run_order(names: &[&str], canaries: &Canaries) -> Result<Vec<(String, bool)>, FleetError> {
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

impl RunDriver {
    /// Starts a run of nodes in this order, which this process moves on.
    ///
    /// # Errors
    /// When the database fails.
    pub fn start(
        store: &NodeStore,
        nodes: &[(String, bool)],
        settings: FleetRunSettings<'_>,
        limits: FleetRunLimits,
    ) -> Result<Self, FleetError> {
        let holder = holder();
        let create = |connection: &mut dyn Connection| {
            let id = create_fleet_run(connection, settings, nodes, now())?;
            lease(connection, id, &holder)?;
            Ok(id)
        };
        let id = write(&*store.database, create).map_err(failed)?;
        Ok(Self { database: store.database(), id, holder, limits })
    }

    /// Goes on with a run. Nodes that had their turn have no second one, and their failures do not
    /// count any more.
    ///
    /// # Errors
    /// When the database fails, there is no such run, it is finished, or another process moves it on.
    pub fn resume(
        store: &NodeStore,
        id: i64,
        resume: FleetRunResume<'_>,
        limits: FleetRunLimits,
    ) -> Result<Self, FleetError> {
        resumable_run(store, id)?;
        let Some(driver) = Self::take_over(store, id, limits)? else {
            let text = format!(
                "another process moves the run {id} on; if it was killed, wait for 5 seconds"
            );
            return Err(FleetError::Rule(text));
        };
        let resume =
            |connection: &mut dyn Connection| resume_fleet_run(connection, id, resume, now());
        write(&*driver.database, resume).map_err(failed)?;
        Ok(driver)
    }

    /// Moves a run on from now on; `None` if another process does.
    ///
    /// # Errors
    /// When the database fails.
    pub fn take_over(
        store: &NodeStore,
        id: i64,
        limits: FleetRunLimits,
    ) -> Result<Option<Self>, FleetError> {
        let (database, holder) = (store.database(), holder());
        let is_ours = write(&*database, |connection| lease(connection, id, &holder));
        Ok(is_ours.map_err(failed)?.then_some(Self { database, id, holder, limits }))
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
            step_fleet_run(connection, self.id, self.limits, now()).map(Some)
        };
        let step = write(&*self.database, step).map_err(failed)?;
        step.ok_or_else(|| FleetError::Rule("another process has taken over the run".to_owned()))
    }
}

impl Drop for RunDriver {
    fn drop(&mut self) {
        // Otherwise the lease ends by itself.
        let _ = write(&*self.database, |connection| {
            release_lease(connection, &lease_name(self.id), &self.holder)
        });
    }
}

/// Checks that there is a run that can be resumed.
///
/// # Errors
/// When the database fails, there is no such run, or it is finished.
fn resumable_run(store: &NodeStore, id: i64) -> Result<(), FleetError> {
    let found = read(&*store.database, None, |connection| {
        Ok((fleet_run(connection, id)?, last_fleet_run(connection)?))
    });
    match found.map_err(failed)? {
        (Some(run), _) if run.state == FleetRunState::Finished => {
            Err(FleetError::Rule(format!("the run {id} is finished")))
        }
        (Some(_), _) => Ok(()),
        (None, Some(last)) => {
            Err(FleetError::Rule(format!("there is no run {id}; the last one is {last}")))
        }
        (None, None) => Err(FleetError::Rule(format!("there is no run {id}"))),
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
