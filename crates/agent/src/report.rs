//! Reports in the form of Puppet's agents (format 12), so that the server and the programs behind it
//! take them like those of others.

use std::time::Duration;

use jiff::Timestamp;
use ordain_data::Value;
use ordain_engine::apply::Report as EngineReport;
use ordain_engine::kind::{Change, Level};
use ordain_engine::report::{Counts, Line, ResourceReport, Status};
use ordain_functions::digest;
use ordain_graph::locate::place;
use ordain_graph::{Graph, Resource};
use ordain_source::SourceMap;
use serde_json::{Map, Value as Json, json};

use crate::error::AgentError;
use crate::protocol::Head;

/// The release of Puppet whose form of reports is used.
const PUPPET_VERSION: &str = "7.23.0";
/// The version of the form.
const FORMAT: u64 = 12;
/// The maximum number of log lines of a report.
const MAX_LINES: usize = 10_000;

/// Everything about a run but its resources.
#[derive(Debug)]
pub struct Run<'a> {
    /// The head of the graph.
    pub head: &'a Head,
    /// The graph.
    pub graph: &'a Graph,
    /// The source texts of the graph.
    pub sources: &'a SourceMap,
    /// When it began.
    pub began: Timestamp,
    /// The time that it took.
    pub took: Duration,
    /// Whether it changed nothing on purpose.
    pub is_noop: bool,
    /// Whether its changes undo those of others, since the graph was in place before.
    pub is_corrective: bool,
    /// Whether the server was absent, so that the graph is an earlier one.
    pub is_cached: bool,
    /// The job that asked for the run.
    pub job_id: Option<&'a str>,
    /// Messages about the run itself.
    pub notes: Vec<(Level, String)>,
}

/// The report of a run.
///
/// # Errors
/// When the system has no random numbers.
pub fn of_run(run: &Run<'_>, report: &EngineReport) -> Result<Json, AgentError> {
    let counts = report.counts();
    let mut statuses = Map::new();
    for resource in report.resources.iter().filter(|r| r.status != Status::Filtered) {
        statuses.insert(resource.resource.to_string(), status(run, resource));
    }
    let has_changed = report.resources.iter().any(|r| r.status == Status::Changed);
    let would_change = report.resources.iter().any(|r| r.status == Status::WouldChange);
    let has_failed = counts.failed > 0 || run.notes.iter().any(|(level, _)| *level >= Level::Error);
    let status = match (has_failed, has_changed) {
        (true, _) => "failed",
        (_, true) => "changed",
        _ => "unchanged",
    };
    Ok(json!({
        "host": run.head.certname,
        "time": run.began.to_string(),
        "configuration_version": run.head.code_id,
        "transaction_uuid": uuid()?,
        "catalog_uuid": null,
        "job_id": run.job_id,
        "code_id": run.head.code_id,
        "cached_catalog_status": if run.is_cached { "on_failure" } else { "not_used" },
        "report_format": FORMAT,
        "puppet_version": PUPPET_VERSION,
        "status": status,
        "transaction_completed": counts.stopped == 0,
        "noop": run.is_noop,
        "noop_pending": would_change,
        "environment": run.head.environment,
        "logs": logs(run, &report.resources),
        "metrics": metrics(run, report, &counts),
        "resource_statuses": statuses,
        "corrective_change": run.is_corrective && has_changed,
    }))
}

fn uuid() -> Result<String, AgentError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| AgentError::Random)?;
    Ok(digest::uuid(bytes, 4))
}

fn status(run: &Run<'_>, report: &ResourceReport) -> Json {
    let id = run.graph.find(&report.resource);
    let resource = id.map(|id| run.graph.resource(id));
    let place = place(run.graph, report.origin, run.sources);
    let events: Vec<Json> = events(run, report);
    let is_skipped = matches!(
        report.status,
        Status::Skipped | Status::SkippedForFailure | Status::Stopped | Status::Filtered
    );
    let has_changed = report.status == Status::Changed;
    json!({
        "title": report.resource.title.as_str(),
        "file": place.as_ref().map(|place| place.file.as_str()),
        "line": place.as_ref().map(|place| place.line),
        "resource": report.resource.to_string(),
        "resource_type": report.resource.kind.as_str(),
        "provider_used": null,
        "containment_path": containment(&report.path),
        "evaluation_time": report.duration.as_secs_f64(),
        "tags": resource.map_or_else(Vec::new, tags),
        "time": run.began.to_string(),
        "failed": report.status == Status::Failed,
        "failed_to_restart": false,
        "changed": has_changed,
        "out_of_sync": !report.changes.is_empty(),
        "skipped": is_skipped,
        "change_count": if has_changed { report.changes.len() } else { 0 },
        "out_of_sync_count": report.changes.len(),
        "events": events,
        "corrective_change": run.is_corrective && has_changed,
    })
}

fn tags(resource: &Resource) -> Vec<&str> {
    resource.tags.iter().map(ecow::EcoString::as_str).collect()
}

fn events(run: &Run<'_>, report: &ResourceReport) -> Vec<Json> {
    let status = match report.status {
        Status::Failed => "failure",
        Status::WouldChange => "noop",
        _ => "success",
    };
    let event = |property: Option<&str>, before: Json, after: Json, message: &str, redacted| {
        json!({
            "audited": false,
            "property": property,
            "previous_value": before,
            "desired_value": after,
            "historical_value": null,
            "message": message,
            "name": property.map(|property| format!("{property}_changed")),
            "status": status,
            "time": run.began.to_string(),
            "redacted": redacted,
            "corrective_change": run.is_corrective && status == "success",
        })
    };
    let of_change = |change: &Change| {
        let is_secret =
            matches!(change.before, Value::Secret(_)) || matches!(change.after, Value::Secret(_));
        let (before, after) = (shown(&change.before), shown(&change.after));
        event(Some(&change.property), before, after, &change.message, is_secret)
    };
    let mut events: Vec<Json> = report.changes.iter().map(of_change).collect();
    if events.is_empty() && report.status == Status::Failed {
        let errors = report.lines.iter().filter(|line| line.level >= Level::Error);
        let text: Vec<&str> = errors.map(|line| line.message.as_str()).collect();
        events.push(event(None, Json::Null, Json::Null, &text.join("\n"), false));
    }
    events
}

/// A value as text. Secrets are not shown.
fn shown(value: &Value) -> Json {
    match value {
        Value::Null => "absent".into(),
        Value::Str(text) => text.as_str().into(),
        other => ordain_engine::report::quoted(other).into(),
    }
}

/// The parts of a containment path. Slashes inside of brackets belong to titles.
fn containment(path: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0usize);
    for c in path.trim_start_matches('/').chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Notice => "notice",
        Level::Warning => "warning",
        Level::Error => "err",
        Level::Alert => "alert",
        Level::Emergency => "emerg",
        Level::Critical => "crit",
    }
}

fn logs(run: &Run<'_>, reports: &[ResourceReport]) -> Vec<Json> {
    let time = run.began.to_string();
    let log = |level: Level, source: &str, message: &str| {
        json!({
            "file": null, "line": null, "level": level_name(level), "message": message,
            "source": if source.is_empty() { "Ordain" } else { source },
            "tags": [level_name(level)], "time": time,
        })
    };
    let of_run = run.notes.iter().map(|(level, text)| log(*level, "", text));
    let lines = reports.iter().flat_map(|report| &report.lines);
    let lines = lines.filter(|line: &&Line| line.level > Level::Debug);
    let lines = lines.map(|line| log(line.level, &line.source, &line.message));
    of_run.chain(lines).take(MAX_LINES).collect()
}

fn metrics(run: &Run<'_>, report: &EngineReport, counts: &Counts) -> Json {
    let metric = |name: &str, label: &str, values: Vec<(&str, &str, Json)>| {
        let values = values.into_iter().map(|(name, label, value)| json!([name, label, value]));
        json!({ "name": name, "label": label, "values": values.collect::<Vec<_>>() })
    };
    let total = report.resources.len();
    let of = |status: Status| report.resources.iter().filter(|r| r.status == status).count();
    let changes = report.resources.iter().filter(|r| r.status == Status::Changed);
    let changes: usize = changes.map(|r| r.changes.len()).sum();
    let pending: usize = report
        .resources
        .iter()
        .filter(|r| r.status == Status::WouldChange)
        .map(|r| r.changes.len())
        .sum();
    let seconds = run.took.as_secs_f64();
    json!({
        "resources": metric("resources", "Resources", vec![
            ("total", "Total", total.into()),
            ("skipped", "Skipped", counts.skipped.into()),
            ("failed", "Failed", counts.failed.into()),
            ("failed_to_restart", "Failed to restart", 0.into()),
            ("restarted", "Restarted", counts.refreshed.into()),
            ("changed", "Changed", of(Status::Changed).into()),
            ("out_of_sync", "Out of sync", (of(Status::Changed) + of(Status::WouldChange)).into()),
            ("scheduled", "Scheduled", 0.into()),
            ("corrective_change", "Corrective change",
             (if run.is_corrective { of(Status::Changed) } else { 0 }).into()),
        ]),
        "time": metric("time", "Time", vec![("total", "Total", json!(seconds))]),
        "changes": metric("changes", "Changes", vec![("total", "Total", changes.into())]),
        "events": metric("events", "Events", vec![
            ("total", "Total", (changes + pending + counts.failed).into()),
            ("failure", "Failure", counts.failed.into()),
            ("success", "Success", changes.into()),
            ("noop", "Noop", pending.into()),
        ]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_may_have_slashes() {
        assert_eq!(
            containment("/Stage[main]/Main/File[/etc/motd]"),
            ["Stage[main]", "Main", "File[/etc/motd]"]
        );
    }
}
