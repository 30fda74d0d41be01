//! The nodes of a run.

use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// The state of a node in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetRunNodeState {
    /// Its turn has not come.
    Waiting,
    /// The servers are asked to reach its agent.
    Requested,
    /// Its agent was told to run.
    Delivered,
    /// Its run changed nothing.
    Unchanged,
    /// Its run made changes.
    Changed,
    /// Its run only observed.
    Noop,
    /// Its run failed.
    Failed,
    /// No server holds a connection of an agent of Ordain for it.
    Unreached,
    /// Its agent was told to run, and has not reported in time.
    Silent,
}

use FleetRunNodeState as State;

const STATES: [State; 9] = [
    State::Waiting,
    State::Requested,
    State::Delivered,
    State::Unchanged,
    State::Changed,
    State::Noop,
    State::Failed,
    State::Unreached,
    State::Silent,
];

impl FleetRunNodeState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Requested => "requested",
            Self::Delivered => "delivered",
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Noop => "noop",
            Self::Failed => "failed",
            Self::Unreached => "unreached",
            Self::Silent => "silent",
        }
    }

    /// Whether the turn of the node is under way.
    pub fn is_under_way(self) -> bool {
        matches!(self, Self::Requested | Self::Delivered)
    }

    /// Whether the turn of the node is over.
    pub fn is_over(self) -> bool {
        self != Self::Waiting && !self.is_under_way()
    }

    /// Whether the node counts as failed.
    pub fn has_failed(self) -> bool {
        matches!(self, Self::Failed | Self::Silent)
    }

    /// The outcome that a report means.
    pub(super) fn of_report(status: Option<&str>, is_noop: bool) -> Self {
        match status {
            Some("failed") | None => Self::Failed,
            Some(_) if is_noop => Self::Noop,
            Some("changed") => Self::Changed,
            Some(_) => Self::Unchanged,
        }
    }
}

/// A node of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRunNode {
    /// Its place in the order of the run.
    pub ordinal: i64,
    /// Its name.
    pub certname: String,
    /// Whether it is a canary.
    pub is_canary: bool,
    /// The state.
    pub state: FleetRunNodeState,
    /// When the state changed, in microseconds since 1970.
    pub changed: i64,
}

/// The nodes of a run in order.
///
/// # Errors
/// When the database fails.
pub fn fleet_run_nodes(
    connection: &mut dyn Connection,
    run: i64,
) -> Result<Vec<FleetRunNode>, FleetStoreError> {
    let sql = "SELECT ordinal, certname, is_canary, state, changed FROM fleet_run_nodes
               WHERE run_id = $1 ORDER BY ordinal";
    let rows = connection.rows(sql, &[run.into()])?;
    rows.iter().map(|row| node(row)).collect()
}

fn node(row: &[Value]) -> Result<FleetRunNode, FleetStoreError> {
    let [ordinal, certname, is_canary, state, changed] = row else {
        return Err(FleetStoreError::failed("five columns expected"));
    };
    let state = state.text()?;
    let known = STATES.into_iter().find(|known| known.as_str() == state);
    Ok(FleetRunNode {
        ordinal: ordinal.integer()?,
        certname: certname.text()?.to_owned(),
        is_canary: is_canary.boolean()?,
        state: known.ok_or_else(|| {
            FleetStoreError::failed(format!("`{state}` is no state of a node in a run"))
        })?,
        changed: changed.integer()?,
    })
}

/// Changes the state of a node. Returns false if it is no longer in the state that it had.
pub(super) fn set_state(
    connection: &mut dyn Connection,
    run: i64,
    node: &mut FleetRunNode,
    state: FleetRunNodeState,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let sql = "UPDATE fleet_run_nodes SET state = $1, changed = $2
               WHERE run_id = $3 AND ordinal = $4 AND state = $5";
    let parameters = [
        state.as_str().into(),
        now.into(),
        run.into(),
        node.ordinal.into(),
        node.state.as_str().into(),
    ];
    let has_changed = connection.execute(sql, &parameters)? == 1;
    if has_changed {
        (node.state, node.changed) = (state, now);
    }
    Ok(has_changed)
}
