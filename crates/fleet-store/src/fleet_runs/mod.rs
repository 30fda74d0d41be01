//! Runs of many nodes: a user asks agents to run now, some at a time, canaries first.
//!
//! Everything about a run is in the database, so another process can resume it. A process of its own
//! moves a run on, or one of the servers ([`fleet_runs_of_servers`]). [`step_fleet_run`] moves a run on: it notes the outcomes of nodes whose reports have arrived, and requests runs of
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
    /// When it stopped or finished.
    pub ended: Option<i64>,
    /// Whether the servers of the database move it on, and not a process of its own.
    pub by_server: bool,
    /// The user who has stopped it.
    pub stopped_by: Option<String>,
    /// The reason why it stopped.
    pub stop_reason: Option<String>,
    /// When it was resumed after a stop: the outcomes of before do not count any more.
    pub resumed: Option<i64>,
}

/// The limits of a new run, and who moves it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FleetRunSettings<'a> {
    /// The user who starts it.
    pub actor: &'a str,
    /// The maximum number of nodes at a time.
    pub at_once: i64,
    /// The share of failed nodes, in percent, at which it stops.
    pub stop_at: i64,
    /// Whether the servers of the database move it on, and not the process that creates it.
    pub by_server: bool,
}

impl FleetRunSettings<'_> {
    /// The maximum number of nodes at a time of a run for which nobody has chosen another one.
    pub const AT_ONCE: i64 = 10;
    /// The largest number of nodes at a time.
    pub const MOST_AT_ONCE: i64 = 1_000_000;
    /// The share of failed nodes, in percent, of a run for which nobody has chosen another one.
    pub const STOP_AT: i64 = 10;
}

/// A user who resumes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FleetRunResume<'a> {
    /// The user.
    pub actor: &'a str,
    /// Another maximum number of nodes at a time.
    pub at_once: Option<i64>,
    /// Another share of failed nodes.
    pub stop_at: Option<i64>,
    /// Whether the servers of the database move it on from now on.
    pub by_server: bool,
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
    settings: FleetRunSettings<'_>,
    nodes: &[(String, bool)],
    now: i64,
) -> Result<i64, FleetStoreError> {
    delete_old_runs(connection, now)?;
    let FleetRunSettings { actor, at_once, stop_at, by_server } = settings;
    let sql = "INSERT INTO fleet_runs (started, actor, at_once, stop_at, by_server, state)
               VALUES ($1, $2, $3, $4, $5, 'running') RETURNING id";
    let row = [now.into(), actor.into(), at_once.into(), stop_at.into(), by_server.into()];
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
    let detail = [
        ("nodes", Json::from(nodes.len())),
        ("at_once", at_once.into()),
        ("stop_at", stop_at.into()),
    ];
    audit(connection, (actor, "run"), id, detail, now)?;
    Ok(id)
}

/// Writes an action on a run to the audit log.
fn audit<const N: usize>(
    connection: &mut dyn Connection,
    (actor, action): (&str, &str),
    run: i64,
    detail: [(&str, Json); N],
    now: i64,
) -> Result<(), FleetStoreError> {
    let detail: Map<String, Json> =
        detail.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let subject = run.to_string();
    let entry = AuditEntry { at: now, actor, action, subject: &subject, detail: &detail };
    append_audit(connection, &entry).map(drop)
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
    let sql = "SELECT id, started, actor, at_once, stop_at, state, ended, by_server, stopped_by,
                   stop_reason, resumed
               FROM fleet_runs WHERE id = $1";
    connection.row(sql, &[id.into()])?.as_deref().map(run).transpose()
}

fn run(row: &[Value]) -> Result<FleetRun, FleetStoreError> {
    let [
        id,
        started,
        actor,
        at_once,
        stop_at,
        state,
        ended,
        by_server,
        stopped_by,
        stop_reason,
        resumed,
    ] = row
    else {
        return Err(FleetStoreError::failed("eleven columns expected"));
    };
    let text = |value: &Value| Ok(value.optional(Value::text)?.map(str::to_owned));
    Ok(FleetRun {
        id: id.integer()?,
        started: started.integer()?,
        actor: actor.text()?.to_owned(),
        at_once: at_once.integer()?,
        stop_at: stop_at.integer()?,
        state: FleetRunState::parse(state.text()?)?,
        ended: ended.optional(Value::integer)?,
        by_server: by_server.boolean()?,
        stopped_by: text(stopped_by)?,
        stop_reason: text(stop_reason)?,
        resumed: resumed.optional(Value::integer)?,
    })
}

/// The id of the newest run.
///
/// # Errors
/// When the database fails.
pub fn last_fleet_run(connection: &mut dyn Connection) -> Result<Option<i64>, FleetStoreError> {
    let id = connection.value("SELECT max(id) FROM fleet_runs", &[])?;
    id.map_or(Ok(None), |id| id.optional(Value::integer))
}

/// Has a run go on, and writes that to the audit log. If it had stopped, the failures of before do
/// not count any more.
///
/// # Errors
/// When the database fails.
pub fn resume_fleet_run(
    connection: &mut dyn Connection,
    id: i64,
    resume: FleetRunResume<'_>,
    now: i64,
) -> Result<(), FleetStoreError> {
    let FleetRunResume { actor, at_once, stop_at, by_server } = resume;
    let sql = "UPDATE fleet_runs SET
                   resumed = CASE WHEN state = 'stopped' THEN $1 ELSE resumed END,
                   state = 'running', ended = NULL, stopped_by = NULL, stop_reason = NULL,
                   at_once = COALESCE($2, at_once), stop_at = COALESCE($3, stop_at), by_server = $4
               WHERE id = $5";
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    let parameters = [now.into(), number(at_once), number(stop_at), by_server.into(), id.into()];
    connection.execute(sql, &parameters)?;
    audit(connection, (actor, "run-resume"), id, [], now)
}

/// Has a run stop after the nodes that are under way, and writes that to the audit log. From then on
/// the servers move it on if no process does. Returns false if it does not run.
///
/// # Errors
/// When the database fails.
pub fn stop_fleet_run(
    connection: &mut dyn Connection,
    id: i64,
    actor: &str,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let sql = "UPDATE fleet_runs SET stopped_by = $1, by_server = TRUE
               WHERE id = $2 AND state = 'running'";
    if connection.execute(sql, &[actor.into(), id.into()])? == 0 {
        return Ok(false);
    }
    audit(connection, (actor, "run-stop"), id, [], now)?;
    Ok(true)
}

/// The ids of the runs that servers move on.
///
/// # Errors
/// When the database fails.
pub fn fleet_runs_of_servers(connection: &mut dyn Connection) -> Result<Vec<i64>, FleetStoreError> {
    let sql = "SELECT id FROM fleet_runs WHERE state = 'running' AND by_server ORDER BY id";
    let rows = connection.rows(sql, &[])?;
    rows.iter().filter_map(|row| row.first()).map(Value::integer).collect()
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
