//! `store_report`.

use serde_json::{Map, Value as Json, json};

use super::context::Context;
use super::text::ruby_text;
use crate::error::FleetStoreError;
use crate::time::{format_time, parse_time};

/// Makes the command from a report in the agents' format. Leaves out unchanged resources unless
/// `with_unchanged` is set.
///
/// # Errors
/// [`FleetStoreError::Refused`] if the report has another format.
pub fn store_report(
    report: &Json,
    with_unchanged: bool,
    context: &Context<'_>,
) -> Result<Json, FleetStoreError> {
    let get = |key: &str| report.get(key).cloned().unwrap_or_default();
    if get("environment").is_null() {
        return Err(FleetStoreError::refused("the report names no environment"));
    }
    let start = text(report, "time");
    let Some(start_micros) = parse_time(&start) else {
        return Err(FleetStoreError::refused("the time of the report is malformed"));
    };
    let empty = Map::new();
    let statuses = report.get("resource_statuses").and_then(Json::as_object).unwrap_or(&empty);
    let resources: Vec<Json> = statuses
        .values()
        .map(resource)
        .filter(|resource| with_unchanged || !is_unchanged(resource))
        .collect();
    let noop = match get("noop") {
        Json::Null => is_noop(&resources).into(),
        flag => flag,
    };
    let logs = report.get("logs").and_then(Json::as_array).into_iter().flatten();
    Ok(json!({
        "certname": context.certname,
        "job_id": get("job_id"),
        "puppet_version": get("puppet_version"),
        "report_format": get("report_format"),
        "configuration_version": text(report, "configuration_version"),
        "producer_timestamp": format_time(context.producer_timestamp),
        "start_time": wire_time(&start),
        "end_time": end_time(report, &start, start_micros),
        "environment": get("environment"),
        "transaction_uuid": get("transaction_uuid"),
        "status": get("status"),
        "noop": noop,
        "noop_pending": get("noop_pending"),
        "corrective_change": get("corrective_change"),
        "logs": logs.map(log).collect::<Vec<_>>(),
        "metrics": metrics(report),
        "resources": resources,
        "catalog_uuid": get("catalog_uuid"),
        "code_id": get("code_id"),
        "cached_catalog_status": get("cached_catalog_status"),
        "producer": context.producer,
    }))
}

/// The seconds that a run took for each resource, as a JSON object by name such as `File[/etc/motd]`,
/// from a report in the agents' format. `None` if it has no such times.
pub fn durations(report: &Json) -> Option<String> {
    let statuses = report.get("resource_statuses").and_then(Json::as_object)?;
    let seconds = statuses.iter().filter_map(|(name, status)| {
        let seconds = status.get("evaluation_time")?.as_f64().filter(|seconds| *seconds > 0.0)?;
        Some((name.clone(), json!(seconds)))
    });
    let seconds: Map<String, Json> = seconds.collect();
    (!seconds.is_empty()).then(|| Json::Object(seconds).to_string())
}

fn text(object: &Json, key: &str) -> String {
    object.get(key).map(ruby_text).unwrap_or_default()
}

fn is_unchanged(resource: &Json) -> bool {
    let has_events = resource.get("events").and_then(Json::as_array).is_some_and(|e| !e.is_empty());
    !has_events && resource.get("skipped") != Some(&Json::Bool(true))
}

/// Whether something would have changed, but nothing did.
fn is_noop(resources: &[Json]) -> bool {
    let events = resources.iter().filter_map(|r| r.get("events")?.as_array()).flatten();
    let mut statuses = events.map(|event| event.get("status").and_then(Json::as_str)).peekable();
    statuses.peek().is_some() && statuses.all(|status| status == Some("noop"))
}

/// A time with milliseconds. The offset stays.
fn wire_time(time: &str) -> Json {
    let Some(at) = time.find('T') else { return time.into() };
    let (date, rest) = time.split_at(at);
    let offset = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, offset) = rest.split_at(offset);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    format!("{date}{clock}.{fraction}{offset}").into()
}

/// The start and the end of the run, both in the offset of the start.
fn end_time(report: &Json, start: &str, start_micros: i64) -> Json {
    let values = report.pointer("/metrics/time/values").and_then(Json::as_array);
    let total = values.into_iter().flatten().find(|value| value.get(0) == Some(&"total".into()));
    let seconds = total.and_then(|value| value.get(2)?.as_f64()).unwrap_or(0.0);
    // The nanoseconds of the start affect the sum.
    let nanos = nanoseconds(start);
    let micros = (seconds * 1e6 + nanos as f64 / 1e3).floor() as i64;
    let end = start_micros.saturating_add(micros);
    // The terminus adds the offset and then writes the time as if it were UTC.
    let offset_at = start.rfind(['Z', 'z', '+', '-']).filter(|at| *at > 10).unwrap_or(start.len());
    let (clock, offset) = start.split_at(offset_at);
    let local = parse_time(&format!("{clock}Z")).unwrap_or(start_micros);
    let shifted = format_time(end.saturating_add(local - start_micros));
    format!("{}{offset}", shifted.trim_end_matches('Z')).into()
}

/// The digits of a time after the microseconds.
fn nanoseconds(time: &str) -> i64 {
    let Some((_, rest)) = time.split_once('.') else { return 0 };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).skip(6).take(3).collect();
    format!("{digits:0<3}").parse().unwrap_or(0)
}

fn log(log: &Json) -> Json {
    let get = |key: &str| log.get(key).cloned().unwrap_or_default();
    let tags = match get("tags") {
        Json::Null => json!([]),
        Json::Array(tags) => Json::Array(tags),
        one => json!([one]),
    };
    json!({
        "file": get("file"),
        "line": get("line"),
        "level": get("level"),
        "message": get("message"),
        "source": get("source"),
        "tags": tags,
        "time": wire_time(&text(log, "time")),
    })
}

fn metrics(report: &Json) -> Vec<Json> {
    let mut list = Vec::new();
    for metric in report.get("metrics").and_then(Json::as_object).into_iter().flat_map(Map::values)
    {
        let category = metric.get("name").cloned().unwrap_or_default();
        let values = metric.get("values").and_then(Json::as_array).into_iter().flatten();
        let mut values: Vec<&Json> = values.collect();
        // Puppet orders them by label.
        values.sort_by_key(|value| value.get(1).map(ruby_text));
        for value in values {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            if let (Some(name), Some(number)) = (items.first(), items.last()) {
                list.push(json!({ "category": category, "name": name, "value": number }));
            }
        }
    }
    list
}

fn resource(status: &Json) -> Json {
    let get = |key: &str| status.get(key).cloned().unwrap_or_default();
    let events = status.get("events").and_then(Json::as_array).into_iter().flatten();
    let events: Vec<Json> =
        events.filter(|e| e.get("status").is_some_and(Json::is_string)).map(event).collect();
    json!({
        "skipped": get("skipped"),
        "timestamp": wire_time(&text(status, "time")),
        "resource_type": get("resource_type"),
        "resource_title": text(status, "title"),
        "file": get("file"),
        "line": get("line"),
        "containment_path": get("containment_path"),
        "corrective_change": get("corrective_change"),
        "events": events,
    })
}

fn event(event: &Json) -> Json {
    let get = |key: &str| event.get(key).cloned().unwrap_or_default();
    json!({
        "status": get("status"),
        "timestamp": wire_time(&text(event, "time")),
        "name": get("name"),
        "property": get("property"),
        "new_value": text(event, "desired_value"),
        "old_value": text(event, "previous_value"),
        "corrective_change": get("corrective_change"),
        "message": get("message"),
    })
}
