//! The state of all nodes at a glance.

use ordain_fleet_store::{Connection, FleetStoreError, Value, now};
use serde_json::{Value as Json, json};

use super::node::{seconds, word};
use super::nodes;
use super::page::{
    FROM, Page, Sql, columns, count, json_hex, json_number, json_text, json_time, status_of,
};
use crate::document::Document;
use crate::error::ExplorerError;

/// Microseconds in an hour.
const HOUR: i64 = 3_600_000_000;
/// The period of the numbers of runs, in hours.
const HOURS: i64 = 24;
/// The age of a report after which a node is late, in hours.
const LATE: i64 = 2;
/// The length of lists.
const LISTED: i64 = 10;
/// The maximum number of the newest reports that the lists of runs and changes consider, so that the
/// page of a large fleet does not read a whole day.
const CONSIDERED: i64 = 50_000;

impl Page<'_> {
    /// `overview`: nodes by status, late nodes, runs by hour, the slowest runs, and the resources
    /// that most nodes had to set right.
    pub(super) fn overview(
        &self,
        connection: &mut dyn Connection,
    ) -> Result<Document, ExplorerError> {
        let now = now();
        let mut sql = Sql::new("SELECT ");
        sql.text(&nodes::status_sql()).text(", count(*)").text(FROM).text(ACTIVE);
        self.visible(&mut sql);
        sql.text(" GROUP BY 1 ORDER BY 1");
        let statuses = list(connection, &sql, |row| {
            let [status, number] = row else { return Err(columns(2)) };
            Ok(json!({ "status": json_text(status)?, "nodes": json_number(number)? }))
        })?;
        let mut sql = Sql::new("SELECT count(*)");
        sql.text(FROM).text(ACTIVE);
        sql.text(" AND n.latest_report_timestamp < ").bind(now - LATE * HOUR);
        self.visible(&mut sql);
        let late = count(connection, &sql)?;
        Ok(Document::json(&json!({
            "statuses": statuses,
            "late": { "nodes": late, "hours": LATE },
            "hours": self.runs_by_hour(connection, now)?,
            "slowest": self.slowest(connection, now)?,
            "drift": self.drift(connection, now)?,
            "period_hours": HOURS,
            "newest": CONSIDERED,
            "reports_since": oldest_considered(connection, "reports", "end_time", now)?,
            "events_since": oldest_considered(connection, "events", "timestamp", now)?,
        })))
    }

    /// The newest reports `r` of the period, with their nodes and environments.
    fn recent_reports(&self, sql: &mut Sql, now: i64) {
        sql.text(FROM).text(
            " JOIN (SELECT hash, certname_id, status, noop, corrective_change, start_time, end_time
                FROM reports WHERE end_time > ",
        );
        sql.bind(now - HOURS * HOUR).text(" ORDER BY end_time DESC LIMIT ").bind(CONSIDERED);
        sql.text(") r ON r.certname_id = n.id").text(ACTIVE);
        self.visible(sql);
    }

    fn runs_by_hour(
        &self,
        connection: &mut dyn Connection,
        now: i64,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let mut sql = Sql::new("SELECT r.end_time / ");
        sql.bind(HOUR).text(", ");
        sql.text(&status_of("r.status", "r.noop", "r.corrective_change")).text(", count(*)");
        self.recent_reports(&mut sql, now);
        sql.text(" GROUP BY 1, 2 ORDER BY 1, 2");
        list(connection, &sql, |row| {
            let [hour, status, number] = row else { return Err(columns(3)) };
            let time = Value::Integer(hour.integer()?.saturating_mul(HOUR));
            let (status, runs) = (json_text(status)?, json_number(number)?);
            Ok(json!({ "time": json_time(&time)?, "status": status, "runs": runs }))
        })
    }

    fn slowest(
        &self,
        connection: &mut dyn Connection,
        now: i64,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let mut sql = Sql::new(
            "SELECT n.certname, r.hash, r.status, r.noop, r.corrective_change, r.start_time,
                 r.end_time",
        );
        self.recent_reports(&mut sql, now);
        sql.text(" ORDER BY r.end_time - r.start_time DESC, r.end_time DESC LIMIT ").bind(LISTED);
        list(connection, &sql, |row| {
            let [node, hash, status, noop, corrective, start, end] = row else {
                return Err(columns(7));
            };
            Ok(json!({
                "node": json_text(node)?,
                "report": json_hex(hash)?,
                "status": word(status, noop, corrective)?,
                "end_time": json_time(end)?,
                "seconds": seconds(start, end)?,
            }))
        })
    }

    /// The resources that agents had to set right, or that differ, in the period.
    fn drift(
        &self,
        connection: &mut dyn Connection,
        now: i64,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let mut sql = Sql::new(
            "SELECT v.resource_type, v.resource_title, count(DISTINCT v.certname_id),
                 max(v.timestamp)",
        );
        sql.text(FROM).text(
            " JOIN (SELECT certname_id, status, corrective_change, timestamp, resource_type,
                resource_title FROM events WHERE timestamp > ",
        );
        sql.bind(now - HOURS * HOUR).text(" ORDER BY timestamp DESC LIMIT ").bind(CONSIDERED);
        sql.text(") v ON v.certname_id = n.id").text(ACTIVE);
        sql.text(" AND (v.corrective_change OR v.status IN ('noop', 'failure'))");
        self.visible(&mut sql);
        sql.text(" GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ").bind(LISTED);
        list(connection, &sql, |row| {
            let [kind, title, number, last] = row else { return Err(columns(4)) };
            Ok(json!({
                "resource": format!("{}[{}]", kind.text()?, title.text()?),
                "nodes": json_number(number)?,
                "last": json_time(last)?,
            }))
        })
    }
}

/// The time of the oldest row that a list considers, if the period has more rows than that.
fn oldest_considered(
    connection: &mut dyn Connection,
    table: &str,
    time: &str,
    now: i64,
) -> Result<Json, FleetStoreError> {
    let sql = format!(
        "SELECT {time} FROM {table} WHERE {time} > $1 ORDER BY {time} DESC LIMIT 1 OFFSET $2"
    );
    let found = connection.value(&sql, &[(now - HOURS * HOUR).into(), (CONSIDERED - 1).into()])?;
    found.map_or(Ok(Json::Null), |time| json_time(&time))
}

const ACTIVE: &str = " WHERE n.deactivated IS NULL AND n.expired IS NULL";

fn list(
    connection: &mut dyn Connection,
    sql: &Sql,
    row: impl Fn(&[Value]) -> Result<Json, FleetStoreError>,
) -> Result<Vec<Json>, FleetStoreError> {
    connection.rows(&sql.text, &sql.values)?.iter().map(|one| row(one)).collect()
}
