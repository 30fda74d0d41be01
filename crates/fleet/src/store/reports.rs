//! Reports of runs with their events.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{NodeStatus, NodeStore, Row, flag, text};
use crate::error::FleetError;

/// A report, without its events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StoredReport {
    /// Its id: 40 hexadecimal digits.
    pub id: String,
    /// The node.
    pub node: String,
    /// The environment.
    pub environment: Option<String>,
    /// The outcome.
    pub status: NodeStatus,
    /// Whether the run only observed.
    pub noop: bool,
    /// Whether it undid changes that others had made.
    pub corrective_change: bool,
    /// When the run began. Times are in RFC 3339, in UTC.
    pub start_time: Option<String>,
    /// When the run ended.
    pub end_time: Option<String>,
    /// The version of the catalog.
    pub configuration_version: Option<String>,
    /// The id of the code.
    pub code_id: Option<String>,
}

/// An event of a report: a change, a failure, or something that a run without changes found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StoredEvent {
    /// The node.
    pub node: String,
    /// The id of the report.
    pub report: String,
    /// The resource, such as `File[/etc/motd]`.
    pub resource: String,
    /// The attribute.
    pub property: Option<String>,
    /// `success`, `failure`, `noop` or `skipped`.
    pub status: String,
    /// Whether it undid a change that somebody else had made.
    pub corrective_change: bool,
    /// The value before.
    pub old_value: Json,
    /// The value of the catalog.
    pub new_value: Json,
    /// The message.
    pub message: Option<String>,
    /// When it happened.
    pub time: Option<String>,
    /// The file that declares the resource.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u64>,
}

/// A log message of a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StoredLog {
    /// The level, such as `err`.
    pub level: String,
    /// The origin, such as a resource.
    pub source: String,
    /// The text.
    pub message: String,
}

/// The columns of reports that [`report`] reads.
const REPORT: [&str; 10] = [
    "hash",
    "certname",
    "environment",
    "status",
    "noop",
    "corrective_change",
    "start_time",
    "end_time",
    "configuration_version",
    "code_id",
];

impl NodeStore {
    /// The last reports, of one node or of all, the newest first.
    ///
    /// # Errors
    /// When the database fails, or there is no such node.
    pub fn reports(&self, node: Option<&str>, limit: u32) -> Result<Vec<StoredReport>, FleetError> {
        let query = match node {
            Some(node) => json!(["extract", REPORT, ["=", "certname", node]]),
            None => json!(["extract", REPORT]),
        };
        let order = json!([{ "field": "end_time", "order": "desc" }, { "field": "certname" }]);
        let (query, order, limit) = (query.to_string(), order.to_string(), limit.to_string());
        let parameters = [("query", &*query), ("order_by", &*order), ("limit", &*limit)];
        let rows = self.answer("/reports", &parameters)?;
        let found: Vec<StoredReport> = rows.iter().filter_map(report).collect();
        if let Some(node) = node.filter(|_| found.is_empty())
            && !self.names()?.iter().any(|name| name == node)
        {
            return Err(self.unknown(node)?);
        }
        Ok(found)
    }

    /// The events of reports that match a condition of an AST query, in the order of their times.
    pub(super) fn events(&self, condition: &Json) -> Result<Vec<StoredEvent>, FleetError> {
        let rows = self.answer("/events", &[("query", &condition.to_string())])?;
        let mut events: Vec<StoredEvent> = rows.iter().filter_map(event).collect();
        events.sort_by(|a, b| {
            (&a.time, &a.resource, &a.property).cmp(&(&b.time, &b.resource, &b.property))
        });
        Ok(events)
    }

    /// The events of a report.
    ///
    /// # Errors
    /// When the database fails.
    pub fn events_of(&self, report: &StoredReport) -> Result<Vec<StoredEvent>, FleetError> {
        self.events(&json!(["=", "report", report.id]))
    }

    /// The log messages of a report.
    ///
    /// # Errors
    /// When the database fails.
    pub fn logs_of(&self, report: &StoredReport) -> Result<Vec<StoredLog>, FleetError> {
        let rows = self.answer(&format!("/reports/{}/logs", report.id), &[])?;
        let log = |row: &Row| {
            Some(StoredLog {
                level: text(row, "level")?,
                source: text(row, "source").unwrap_or_default(),
                message: text(row, "message")?,
            })
        };
        Ok(rows.iter().filter_map(log).collect())
    }
}

fn report(row: &Row) -> Option<StoredReport> {
    let noop = flag(row, "noop");
    Some(StoredReport {
        id: text(row, "hash")?,
        node: text(row, "certname")?,
        environment: text(row, "environment"),
        status: NodeStatus::of_report(text(row, "status").as_deref(), noop),
        noop,
        corrective_change: flag(row, "corrective_change"),
        start_time: text(row, "start_time"),
        end_time: text(row, "end_time"),
        configuration_version: text(row, "configuration_version"),
        code_id: text(row, "code_id"),
    })
}

fn event(row: &Row) -> Option<StoredEvent> {
    let value = |name: &str| row.get(name).cloned().unwrap_or_default();
    Some(StoredEvent {
        node: text(row, "certname")?,
        report: text(row, "report")?,
        resource: format!("{}[{}]", text(row, "resource_type")?, text(row, "resource_title")?),
        property: text(row, "property"),
        status: text(row, "status")?,
        corrective_change: flag(row, "corrective_change"),
        old_value: value("old_value"),
        new_value: value("new_value"),
        message: text(row, "message"),
        time: text(row, "timestamp"),
        file: text(row, "file"),
        line: row.get("line").and_then(Json::as_u64),
    })
}
