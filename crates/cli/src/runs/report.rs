//! Reports of a run as text and JSON.

use ordain_engine::report::{Counts, ResourceReport};
use ordain_engine::saved::{action_name, status_name};
use serde_json::{Value as Json, json};

use crate::ui::log_level;

/// The number of resources by outcome, as text.
pub(crate) fn counts_text(counts: &Counts) -> String {
    let mut parts = vec![
        format!("{} created", counts.created),
        format!("{} changed", counts.modified),
        format!("{} removed", counts.removed),
        format!("{} in place", counts.in_place),
    ];
    let more = [
        (counts.run, "run"),
        (counts.refreshed, "refreshed"),
        (counts.skipped, "left out"),
        (counts.stopped, "not reached"),
        (counts.failed, "failed"),
    ];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")));
    parts.join(", ") + "."
}

/// The number of resources by outcome, as JSON.
pub(crate) fn counts_json(counts: &Counts) -> Json {
    json!({
        "created": counts.created, "changed": counts.modified, "removed": counts.removed,
        "run": counts.run, "in_place": counts.in_place, "failed": counts.failed,
        "skipped": counts.skipped, "not_reached": counts.stopped,
        "refreshed": counts.refreshed,
    })
}

/// The report of a resource as JSON.
pub(crate) fn resource_json(report: &ResourceReport) -> Json {
    let changes: Vec<_> = report
        .changes
        .iter()
        .map(|c| {
            json!({
                "action": action_name(c.action), "property": c.property, "message": c.message,
                "before": write(&c.before), "after": write(&c.after),
            })
        })
        .collect();
    let lines: Vec<_> = report
        .lines
        .iter()
        .map(|l| json!({ "log": log_level(l.level).word(), "source": l.source, "message": l.message }))
        .collect();
    json!({
        "resource": report.resource.to_string(), "status": status_name(report.status),
        "refreshed": report.refreshed, "changes": changes, "logs": lines,
        "seconds": report.duration.as_secs_f64(),
    })
}

fn write(value: &ordain_data::Value) -> Json {
    ordain_graph::json::write_value(value, ordain_graph::json::Secrets::Omit)
}
