//! Moves a run on.

use std::collections::HashMap;

use super::node::{FleetRunNode, FleetRunNodeState, fleet_run_nodes, set_state};
use super::{FleetRun, FleetRunState, fleet_run, job_id};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// The times that a run waits for nodes, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FleetRunLimits {
    /// For a server that reaches the agent.
    pub reach: i64,
    /// For the report of an agent that was told to run.
    pub report: i64,
}

impl FleetRunLimits {
    /// The times of a run for which nobody has chosen others.
    pub const DEFAULT: Self = Self { reach: 30_000_000, report: 600_000_000 };
}

/// The state of a run after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRunStep {
    /// The run.
    pub run: FleetRun,
    /// All nodes in order.
    pub nodes: Vec<FleetRunNode>,
    /// The reason why no further node has its turn.
    pub stop: Option<String>,
}

/// Notes the outcomes of nodes, stops a run with too many failures, and requests runs of further
/// nodes.
///
/// Only one process may move a run on at a time: its caller holds a lease.
///
/// # Errors
/// When the database fails, or there is no such run.
pub fn step_fleet_run(
    connection: &mut dyn Connection,
    id: i64,
    limits: FleetRunLimits,
    now: i64,
) -> Result<FleetRunStep, FleetStoreError> {
    let run = fleet_run(connection, id)?;
    let mut run = run.ok_or_else(|| FleetStoreError::failed(format!("there is no run {id}")))?;
    let mut nodes = fleet_run_nodes(connection, id)?;
    note_outcomes(connection, id, &mut nodes, limits, now)?;
    let stop = reason_to_stop(&run, &nodes);
    if stop.is_none() {
        request(connection, &run, &mut nodes, now)?;
    }
    let is_waiting = nodes.iter().any(|node| node.state == FleetRunNodeState::Waiting);
    let is_under_way = nodes.iter().any(|node| node.state.is_under_way());
    let state = match (is_under_way, &stop, is_waiting) {
        (true, ..) | (false, None, true) => FleetRunState::Running,
        (false, Some(_), true) => FleetRunState::Stopped,
        (false, _, false) => FleetRunState::Finished,
    };
    if state != FleetRunState::Running && state != run.state {
        let reason = stop.clone().filter(|_| state == FleetRunState::Stopped);
        let sql = "UPDATE fleet_runs SET state = $1, ended = $2, stop_reason = $3 WHERE id = $4";
        let parameters = [
            state.as_str().into(),
            now.into(),
            reason.clone().map_or(Value::Null, Value::Text),
            id.into(),
        ];
        connection.execute(sql, &parameters)?;
        (run.ended, run.stop_reason) = (Some(now), reason);
    }
    run.state = state;
    Ok(FleetRunStep { run, nodes, stop })
}

/// Notes the outcomes of nodes that have reported, or that took too long.
fn note_outcomes(
    connection: &mut dyn Connection,
    id: i64,
    nodes: &mut [FleetRunNode],
    limits: FleetRunLimits,
    now: i64,
) -> Result<(), FleetStoreError> {
    if !nodes.iter().any(|node| node.state.is_under_way()) {
        return Ok(());
    }
    let outcomes = outcomes(connection, id)?;
    for node in nodes.iter_mut().filter(|node| node.state.is_under_way()) {
        let waited = now.saturating_sub(node.changed);
        let state = match (outcomes.get(&node.certname), node.state) {
            (Some(outcome), _) => *outcome,
            (None, FleetRunNodeState::Requested) if waited >= limits.reach => {
                FleetRunNodeState::Unreached
            }
            (None, FleetRunNodeState::Delivered) if waited >= limits.report => {
                FleetRunNodeState::Silent
            }
            _ => continue,
        };
        // A server may have delivered the request meanwhile; the next step sees that.
        set_state(connection, id, node, state, now)?;
    }
    Ok(())
}

/// The outcomes of the reports of a run, by the names of nodes.
fn outcomes(
    connection: &mut dyn Connection,
    id: i64,
) -> Result<HashMap<String, FleetRunNodeState>, FleetStoreError> {
    let sql = "SELECT c.certname, r.status, r.noop FROM reports r
               JOIN certnames c ON c.id = r.certname_id WHERE r.job_id = $1 ORDER BY r.id";
    let rows = connection.rows(sql, &[job_id(id).into()])?;
    let outcome = |row: &Vec<Value>| match &row[..] {
        [certname, status, noop] => {
            let is_noop = noop.optional(Value::boolean)?.unwrap_or(false);
            let state = FleetRunNodeState::of_report(status.optional(Value::text)?, is_noop);
            Ok((certname.text()?.to_owned(), state))
        }
        _ => Err(FleetStoreError::failed("three columns expected")),
    };
    rows.iter().map(outcome).collect()
}

/// The reason why no further node should have its turn. Outcomes from before the run was resumed do
/// not count.
fn reason_to_stop(run: &FleetRun, nodes: &[FleetRunNode]) -> Option<String> {
    if let Some(user) = &run.stopped_by {
        return Some(format!("{user} has stopped it"));
    }
    let is_earlier = |node: &FleetRunNode| {
        node.state.is_over() && run.resumed.is_some_and(|resumed| node.changed <= resumed)
    };
    let counted = || nodes.iter().filter(|node| !is_earlier(node));
    let is_bad = |node: &&FleetRunNode| {
        node.is_canary && (node.state.has_failed() || node.state == FleetRunNodeState::Unreached)
    };
    if let Some(canary) = counted().find(is_bad) {
        return Some(format!("the canary {} is {}", canary.certname, canary.state.as_str()));
    }
    let failed = counted().filter(|node| node.state.has_failed()).count();
    let share = (failed as i64).saturating_mul(100);
    let most = run.stop_at.saturating_mul(nodes.len() as i64);
    let is_over = failed > 0 && share >= most;
    is_over.then(|| format!("{failed} of {} nodes failed", nodes.len()))
}

/// Requests runs of further nodes. The others wait until all canaries have succeeded.
fn request(
    connection: &mut dyn Connection,
    run: &FleetRun,
    nodes: &mut [FleetRunNode],
    now: i64,
) -> Result<(), FleetStoreError> {
    let is_canary_open = nodes.iter().any(|node| node.is_canary && !node.state.is_over());
    let under_way = nodes.iter().filter(|node| node.state.is_under_way()).count();
    let free = usize::try_from(run.at_once).unwrap_or(0).saturating_sub(under_way);
    let next = nodes.iter_mut().filter(|node| node.state == FleetRunNodeState::Waiting);
    for node in next.filter(|node| node.is_canary || !is_canary_open).take(free) {
        set_state(connection, run.id, node, FleetRunNodeState::Requested, now)?;
    }
    Ok(())
}
