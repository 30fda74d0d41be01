//! Runs of many nodes: a user asks agents to run now, some at a time, canaries first.
//!
//! Everything about a run is in the database, so another process can resume it. [`step_fleet_run`]
//! moves a run on: it notes the outcomes of nodes whose reports have arrived, and requests runs of
//! further nodes. A server that holds a connection of a requested node claims the request
//! ([`claim_run_request`]) and tells the agent, whose report then has the job id of the run
//! ([`job_id`]).

mod node;
mod step;

use serde_json::{Map, Value as Json};

use crate::audit::{AuditEntry, append_audit};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::rows::insert;
use crate::time::{DAY, SECOND};
use crate::value::Value;

pub use node::{FleetRunNode, FleetRunNodeState, fleet_run_nodes};
pub use step::{FleetRunLimits, FleetRunStep, step_fleet_run};

/// The time for which the records of a run are kept after its end.
const RETENTION: i64 = 90 * DAY;
/// The time for which servers look for the agent of a requested node. A request whose process was
/// killed must not start a run hours later.
const REQUEST_TTL: i64 = 60 * SECOND;

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetRunState {
    /// Some nodes wait or run.
    Running,
    /// It stopped because of failures, before all nodes had their turn.
    Stopped,
    /// All nodes had their turn.
    Finished,
}

impl FleetRunState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Finished => "finished",
        }
    }

    fn parse(text: &str) -> Result<Self, FleetStoreError> {
        [Self::Running, Self::Stopped, Self::Finished]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| FleetStoreError::failed(format!("`{text}` is no state of a run")))
    }
}

/// A run without its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRun {
    /// Its id.
    pub id: i64,
    /// When it was started, in microseconds since 1970.
    pub started: i64,
    /// The user who started it.
    pub actor: String,
    /// The maximum number of nodes at a time.
    pub at_once: i64,
    /// The share of failed nodes, in percent, at which it stops.
    pub stop_at: i64,
    /// The state.
    pub state: FleetRunState,
}

/// A request to the agent of a node to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// The node.
    pub certname: String,
    /// The run.
    pub run: i64,
    /// The place of the node in the run.
    pub ordinal: i64,
}

/// The job id in the reports of a run.
pub fn job_id(run: i64) -> String {
    format!("ordain-run-{run}")
}

/// Stores a new run and writes it to the audit log. `nodes` are in the order of the run, with whether
/// they are canaries. Returns its id. Deletes the records of old runs.
///
/// # Errors
/// When the database fails.
pub fn create_fleet_run(
    connection: &mut dyn Connection,
    (actor, at_once, stop_at): (&str, i64, i64),
    nodes: &[(String, bool)],
    now: i64,
) -> Result<i64, FleetStoreError> {
    delete_old_runs(connection, now)?;
    let sql = "INSERT INTO fleet_runs (started, actor, at_once, stop_at, state)
               VALUES ($1, $2, $3, $4, 'running') RETURNING id";
    let row = [now.into(), actor.into(), at_once.into(), stop_at.into()];
    let id = connection.value(sql, &row)?;
    let id = id.ok_or_else(|| FleetStoreError::failed("no id of the run"))?.integer()?;
    let columns = ["run_id", "ordinal", "certname", "is_canary", "state", "changed"];
    let rows = nodes.iter().zip(0i64..).map(|((name, is_canary), ordinal)| {
        let state = FleetRunNodeState::Waiting.as_str();
        let row: Vec<Value> = vec![
            id.into(),
            ordinal.into(),
            name.as_str().into(),
            (*is_canary).into(),
            state.into(),
            now.into(),
        ];
        row
    });
    insert(connection, "fleet_run_nodes", &columns, &rows.collect::<Vec<_>>(), "")?;
    let detail: Map<String, Json> = [
        ("nodes".to_owned(), nodes.len().into()),
        ("at_once".to_owned(), at_once.into()),
        ("stop_at".to_owned(), stop_at.into()),
    ]
    .into_iter()
    .collect();
    let subject = id.to_string();
    let entry = AuditEntry { at: now, actor, action: "run", subject: &subject, detail: &detail };
    append_audit(connection, &entry)?;
    Ok(id)
}

fn delete_old_runs(connection: &mut dyn Connection, now: i64) -> Result<(), FleetStoreError> {
    let end = [now.saturating_sub(RETENTION).into()];
    let sql = "DELETE FROM fleet_run_nodes
               WHERE run_id IN (SELECT id FROM fleet_runs WHERE started < $1)";
    connection.execute(sql, &end)?;
    connection.execute("DELETE FROM fleet_runs WHERE started < $1", &end).map(drop)
}

/// A run by its id.
///
/// # Errors
/// When the database fails.
pub fn fleet_run(
    connection: &mut dyn Connection,
    id: i64,
) -> Result<Option<FleetRun>, FleetStoreError> {
    let sql = "SELECT started, actor, at_once, stop_at, state FROM fleet_runs WHERE id = $1";
    let Some(row) = connection.row(sql, &[id.into()])? else { return Ok(None) };
    let [started, actor, at_once, stop_at, state] = row.as_slice() else {
        return Err(FleetStoreError::failed("five columns expected"));
    };
    Ok(Some(FleetRun {
        id,
        started: started.integer()?,
        actor: actor.text()?.to_owned(),
        at_once: at_once.integer()?,
        stop_at: stop_at.integer()?,
        state: FleetRunState::parse(state.text()?)?,
    }))
}

/// The id of the newest run.
///
/// # Errors
/// When the database fails.
pub fn last_fleet_run(connection: &mut dyn Connection) -> Result<Option<i64>, FleetStoreError> {
    let id = connection.value("SELECT max(id) FROM fleet_runs", &[])?;
    id.map_or(Ok(None), |id| id.optional(Value::integer))
}

/// Has a stopped run go on, and changes its limits if they are not `None`.
///
/// # Errors
/// When the database fails.
pub fn resume_fleet_run(
    connection: &mut dyn Connection,
    id: i64,
    (at_once, stop_at): (Option<i64>, Option<i64>),
) -> Result<(), FleetStoreError> {
    let sql = "UPDATE fleet_runs SET state = 'running', ended = NULL,
                   at_once = COALESCE($1, at_once), stop_at = COALESCE($2, stop_at)
               WHERE id = $3";
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    connection.execute(sql, &[number(at_once), number(stop_at), id.into()]).map(drop)
}

/// The requests that servers should deliver now.
///
/// # Errors
/// When the database fails.
pub fn run_requests(
    connection: &mut dyn Connection,
    now: i64,
) -> Result<Vec<RunRequest>, FleetStoreError> {
    let sql = "SELECT certname, run_id, ordinal FROM fleet_run_nodes
               WHERE state = 'requested' AND changed > $1";
    let rows = connection.rows(sql, &[now.saturating_sub(REQUEST_TTL).into()])?;
    let request = |row: &Vec<Value>| match &row[..] {
        [certname, run, ordinal] => Ok(RunRequest {
            certname: certname.text()?.to_owned(),
            run: run.integer()?,
            ordinal: ordinal.integer()?,
        }),
        _ => Err(FleetStoreError::failed("three columns expected")),
    };
    rows.iter().map(request).collect()
}

/// Claims a request for the server that delivers it. Returns false if another server has done so, or
/// the request is over.
///
/// # Errors
/// When the database fails.
pub fn claim_run_request(
    connection: &mut dyn Connection,
    request: &RunRequest,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let sql = "UPDATE fleet_run_nodes SET state = 'delivered', changed = $1
               WHERE run_id = $2 AND ordinal = $3 AND state = 'requested'";
    let parameters = [now.into(), request.run.into(), request.ordinal.into()];
    Ok(connection.execute(sql, &parameters)? == 1)
}
