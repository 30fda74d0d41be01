//! Stores reports.

use crate::command::{Event, Report};
use crate::compression::compress;
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::ingest::node;
use crate::ingest::outcome::Outcome;
use crate::rows;
use crate::time::{SECOND, now};
use crate::value::Value;

const COLUMNS: [&str; 25] = [
    "hash",
    "certname_id",
    "environment_id",
    "producer_id",
    "report_type",
    "status",
    "noop",
    "noop_pending",
    "corrective_change",
    "puppet_version",
    "report_format",
    "configuration_version",
    "start_time",
    "end_time",
    "producer_timestamp",
    "receive_time",
    "transaction_uuid",
    "catalog_uuid",
    "code_id",
    "job_id",
    "cached_catalog_status",
    "metrics_zstd",
    "logs_zstd",
    "resources_zstd",
    "durations_zstd",
];

const EVENT_COLUMNS: [&str; 17] = [
    "report_id",
    "ordinal",
    "certname_id",
    "status",
    "corrective_change",
    "timestamp",
    "resource_type",
    "resource_title",
    "property",
    "name",
    "new_value",
    "old_value",
    "message",
    "file",
    "line",
    "containment_path",
    "containing_class",
];

/// How far the clock of a node may be ahead of that of a server, in microseconds.
const CLOCK_DIFFERENCE: i64 = 3_600 * SECOND;

pub(super) fn store(
    connection: &mut dyn Connection,
    report: &Report,
    (received, now): (i64, i64),
) -> Result<Outcome, FleetStoreError> {
    let time = report.producer_timestamp;
    let node = node::activate(connection, &report.certname, (time, received, now))?;
    if is_known(connection, report, &node.id)? {
        return Ok(Outcome::Duplicate);
    }
    let environment = rows::environment(connection, Some(&report.environment))?;
    let producer = rows::producer(connection, report.producer.as_deref())?;
    let row = report_row(report, received, &node.id, &environment, producer)?;
    let sql = format!(
        "INSERT INTO reports ({}) VALUES {} ON CONFLICT (hash) DO NOTHING RETURNING id",
        COLUMNS.join(", "),
        rows::placeholders(1, COLUMNS.len(), 1)
    );
    let Some(id) = connection.value(&sql, &row)? else { return Ok(Outcome::Duplicate) };
    let events: Vec<Vec<Value>> = report
        .events
        .iter()
        .enumerate()
        .map(|(i, event)| event_row(event, i, &id, &node.id))
        .collect();
    rows::insert(connection, "events", &EVENT_COLUMNS, &events, "")?;
    if report.report_type == "agent" {
        set_latest(connection, report, id, node.id, environment)?;
    }
    Ok(Outcome::Stored { changed: true })
}

/// Whether the report of this run is stored, perhaps with another time of its producer: an agent that
/// gets no reply sends a report again, and each server has a time of its own for it.
fn is_known(
    connection: &mut dyn Connection,
    report: &Report,
    node: &Value,
) -> Result<bool, FleetStoreError> {
    // Servers get a report after the end of its run, so the index finds a few at most.
    let sql = "SELECT 1 FROM reports WHERE certname_id = $1 AND producer_timestamp > $2
                   AND report_type = $3 AND start_time = $4 AND end_time = $5
                   AND configuration_version = $6
                   AND coalesce(transaction_uuid, '') = coalesce($7, '') LIMIT 1";
    let parameters = [
        node.clone(),
        report.end_time.saturating_sub(CLOCK_DIFFERENCE).into(),
        report.report_type.as_str().into(),
        report.start_time.into(),
        report.end_time.into(),
        report.configuration_version.as_str().into(),
        report.transaction_uuid.clone().into(),
    ];
    Ok(connection.row(sql, &parameters)?.is_some())
}

fn report_row(
    report: &Report,
    received: i64,
    node: &Value,
    environment: &Value,
    producer: Value,
) -> Result<Vec<Value>, FleetStoreError> {
    Ok(vec![
        report.hash.as_slice().into(),
        node.clone(),
        environment.clone(),
        producer,
        report.report_type.as_str().into(),
        report.status.clone().into(),
        report.noop.into(),
        report.noop_pending.into(),
        report.corrective_change.into(),
        report.puppet_version.as_str().into(),
        report.report_format.into(),
        report.configuration_version.as_str().into(),
        report.start_time.into(),
        report.end_time.into(),
        report.producer_timestamp.into(),
        received.into(),
        report.transaction_uuid.clone().into(),
        report.catalog_uuid.clone().into(),
        report.code_id.clone().into(),
        report.job_id.clone().into(),
        report.cached_catalog_status.clone().into(),
        compress(report.metrics.as_bytes())?.into(),
        compress(report.logs.as_bytes())?.into(),
        compress(report.resources.as_bytes())?.into(),
        report.durations.as_ref().map(|text| compress(text.as_bytes())).transpose()?.into(),
    ])
}

fn event_row(event: &Event, ordinal: usize, report: &Value, node: &Value) -> Vec<Value> {
    vec![
        report.clone(),
        (ordinal as i64).into(),
        node.clone(),
        event.status.as_str().into(),
        event.corrective_change.into(),
        event.timestamp.into(),
        event.resource_type.as_str().into(),
        event.resource_title.as_str().into(),
        event.property.clone().into(),
        event.name.clone().into(),
        event.new_value.clone().into(),
        event.old_value.clone().into(),
        event.message.clone().into(),
        event.file.clone().into(),
        event.line.into(),
        event.containment_path.as_str().into(),
        event.containing_class.clone().into(),
    ]
}

/// Makes a report the latest one of its node, unless a later one is stored.
fn set_latest(
    connection: &mut dyn Connection,
    report: &Report,
    id: Value,
    node: Value,
    environment: Value,
) -> Result<(), FleetStoreError> {
    let sql = "UPDATE certnames SET latest_report_producer_timestamp = $1, latest_report_id = $2,
                   latest_report_hash = $3, latest_report_environment_id = $4,
                   latest_report_timestamp = $5, latest_report_status = $6,
                   latest_report_noop = $7, latest_report_noop_pending = $8,
                   latest_report_corrective_change = $9, latest_report_job_id = $10,
                   cached_catalog_status = $11, latest_report_events = $12,
                   latest_report_failures = $13, latest_report_skips = $14,
                   latest_report_successes = $15, latest_report_noops = $16
               WHERE id = $17 AND (latest_report_producer_timestamp IS NULL
                   OR latest_report_producer_timestamp < $1
                   OR latest_report_producer_timestamp > $18)";
    let count_of = |status: &str| -> Value {
        (report.events.iter().filter(|event| event.status == status).count() as i64).into()
    };
    let parameters = [
        report.producer_timestamp.into(),
        id,
        report.hash.as_slice().into(),
        environment,
        report.end_time.into(),
        report.status.clone().into(),
        report.noop.into(),
        report.noop_pending.into(),
        report.corrective_change.into(),
        report.job_id.clone().into(),
        report.cached_catalog_status.clone().into(),
        (report.events.len() as i64).into(),
        count_of("failure"),
        count_of("skipped"),
        count_of("success"),
        count_of("noop"),
        node,
        // A time in the future says nothing: the clocks of servers differ.
        now().into(),
    ];
    connection.execute(sql, &parameters).map(drop)
}
