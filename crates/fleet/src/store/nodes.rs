//! Nodes with the status of their last run.

use serde::Serialize;
use serde_json::json;

use super::{NodeStore, Row, flag, text};
use crate::error::FleetError;

/// The outcome of the last run of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeStatus {
    /// Something failed.
    Failed,
    /// Something was changed.
    Changed,
    /// Nothing had to change.
    Unchanged,
    /// The run only observed.
    Noop,
    /// There is no report.
    None,
}

/// A node of the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StoredNode {
    /// Its name.
    pub name: String,
    /// The environment of its catalog, or else of its last report or its facts.
    pub environment: Option<String>,
    /// The outcome of its last run.
    pub status: NodeStatus,
    /// Whether the last run undid changes that others had made.
    pub corrective_change: bool,
    /// The end of its last run. Times are in RFC 3339, in UTC.
    pub report_time: Option<String>,
    /// The time of its facts.
    pub facts_time: Option<String>,
    /// The time of its catalog.
    pub catalog_time: Option<String>,
    /// When it was deactivated.
    pub deactivated: Option<String>,
    /// When it expired.
    pub expired: Option<String>,
}

impl NodeStatus {
    /// The name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Noop => "noop",
            Self::None => "none",
        }
    }

    /// The word in lists: `corrective` for a run that undid changes of others.
    pub fn word(self, corrective_change: bool) -> &'static str {
        if self == Self::Changed && corrective_change { "corrective" } else { self.as_str() }
    }

    /// The status in a report.
    pub(super) fn of_report(status: Option<&str>, is_noop: bool) -> Self {
        match status {
            None => Self::None,
            Some("failed") => Self::Failed,
            Some(_) if is_noop => Self::Noop,
            Some("changed") => Self::Changed,
            Some(_) => Self::Unchanged,
        }
    }
}

impl NodeStore {
    /// The node with this name, also if it is not active.
    ///
    /// # Errors
    /// When the database fails, or there is no such node.
    pub fn node(&self, name: &str) -> Result<StoredNode, FleetError> {
        let name = name.to_lowercase();
        let condition = json!(["and", ["=", "node_state", "any"], ["=", "certname", name]]);
        let rows = self.ast_rows(&json!(["from", "nodes", condition]))?;
        match rows.iter().find_map(node) {
            Some(node) => Ok(node),
            None => Err(self.unknown(&name)?),
        }
    }

    /// The nodes in a state, `active` or `any`, in the order of their names.
    pub(super) fn nodes_in_state(&self, state: &str) -> Result<Vec<StoredNode>, FleetError> {
        let rows = self.ast_rows(&json!(["from", "nodes", ["=", "node_state", state]]))?;
        let mut nodes: Vec<StoredNode> = rows.iter().filter_map(node).collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(nodes)
    }
}

fn node(row: &Row) -> Option<StoredNode> {
    let environments = ["catalog_environment", "report_environment", "facts_environment"];
    let status = text(row, "latest_report_status");
    Some(StoredNode {
        name: text(row, "certname")?,
        environment: environments.iter().find_map(|name| text(row, name)),
        status: NodeStatus::of_report(status.as_deref(), flag(row, "latest_report_noop")),
        corrective_change: flag(row, "latest_report_corrective_change"),
        report_time: text(row, "report_timestamp"),
        facts_time: text(row, "facts_timestamp"),
        catalog_time: text(row, "catalog_timestamp"),
        deactivated: text(row, "deactivated"),
        expired: text(row, "expired"),
    })
}
