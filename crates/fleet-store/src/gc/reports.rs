//! Old reports.

use super::step::Step;
use crate::database::{Connection, Database, write};
use crate::error::FleetStoreError;
use crate::rows;
use crate::value::Value;

/// The number of reports that one transaction deletes.
const BATCH: usize = 256;

/// Deletes some of the reports that were sent before a time.
pub(super) fn delete(database: &dyn Database, horizon: i64) -> Result<Step, FleetStoreError> {
    let sql = format!(
        "SELECT id, certname_id FROM reports WHERE producer_timestamp < $1
         ORDER BY producer_timestamp LIMIT {BATCH}"
    );
    let count = write(database, |connection| {
        let found = connection.rows(&sql, &[horizon.into()])?;
        delete_reports(connection, &found)?;
        Ok(found.len())
    })?;
    Ok(Step { count: count as u64, more: count >= BATCH })
}

/// Deletes reports of a node. Returns how many.
pub(super) fn delete_of_node(
    connection: &mut dyn Connection,
    node: &Value,
    limit: usize,
) -> Result<usize, FleetStoreError> {
    let sql = "SELECT id, certname_id FROM reports WHERE certname_id = $1 LIMIT $2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = connection.rows(sql, &[node.clone(), limit.into()])?;
    delete_reports(connection, &found)?;
    Ok(found.len())
}

const FORGET: &str = "latest_report_id = NULL, latest_report_hash = NULL,
    latest_report_environment_id = NULL, latest_report_timestamp = NULL,
    latest_report_producer_timestamp = NULL, latest_report_status = NULL,
    latest_report_noop = NULL, latest_report_noop_pending = NULL,
    latest_report_corrective_change = NULL, latest_report_job_id = NULL,
    cached_catalog_status = NULL, latest_report_events = 0, latest_report_failures = 0,
    latest_report_skips = 0, latest_report_successes = 0, latest_report_noops = 0";

/// Deletes reports; each row holds the ids of a report and its node.
fn delete_reports(
    connection: &mut dyn Connection,
    found: &[Vec<Value>],
) -> Result<(), FleetStoreError> {
    let column = |i: usize| found.iter().filter_map(|row| row.get(i)).cloned().collect::<Vec<_>>();
    let (reports, nodes) = (column(0), column(1));
    for (report, node) in reports.iter().zip(&nodes) {
        let sql = format!("UPDATE certnames SET {FORGET} WHERE id = $1 AND latest_report_id = $2");
        connection.execute(&sql, &[node.clone(), report.clone()])?;
    }
    rows::delete_by(connection, "events", "report_id", &reports)?;
    rows::delete_by(connection, "reports", "id", &reports)
}
