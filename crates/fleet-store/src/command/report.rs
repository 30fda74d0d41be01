//! `store_report`.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::check::{Object, add_missing, refuse, text_without_nul, uuid, without_nul};
use crate::canonical::{Sha1Hash, sha1, write_string};
use crate::error::FleetStoreError;
use crate::time::format_time;

/// The report of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The node.
    pub certname: String,
    /// Its environment.
    pub environment: String,
    /// `agent` or `plan`.
    pub report_type: String,
    /// `changed`, `unchanged` or `failed`.
    pub status: Option<String>,
    /// Whether the run was in noop mode.
    pub noop: Option<bool>,
    /// Whether changes were not made because of noop.
    pub noop_pending: Option<bool>,
    /// Whether the run corrected drift.
    pub corrective_change: Option<bool>,
    /// The version of the agent.
    pub puppet_version: String,
    /// The version of the report's format.
    pub report_format: i64,
    /// The version of the configuration.
    pub configuration_version: String,
    /// When the run began, in microseconds since 1970.
    pub start_time: i64,
    /// When it ended.
    pub end_time: i64,
    /// When the report was sent.
    pub producer_timestamp: i64,
    /// The server that sent it.
    pub producer: Option<String>,
    /// Identifies the run.
    pub transaction_uuid: Option<String>,
    /// Identifies the compile of its catalog.
    pub catalog_uuid: Option<String>,
    /// The revision of the code.
    pub code_id: Option<String>,
    /// The orchestrator job that started the run.
    pub job_id: Option<String>,
    /// Where the catalog came from.
    pub cached_catalog_status: Option<String>,
    /// The metrics as a JSON array.
    pub metrics: String,
    /// The log as a JSON array.
    pub logs: String,
    /// The resources as a JSON array.
    pub resources: String,
    /// The seconds that the run took for each resource, as a JSON object by name. Commands of PuppetDB
    /// have none; [`crate::terminus::durations`] makes them.
    pub durations: Option<String>,
    /// The events of resources that were out of sync or skipped.
    pub events: Vec<Event>,
    /// The hash of the report as PuppetDB computes it.
    pub hash: Sha1Hash,
}

/// An event of a report.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Event {
    /// `success`, `failure`, `noop` or `skipped`.
    pub status: String,
    /// Whether the event corrected drift.
    pub corrective_change: Option<bool>,
    /// When, in microseconds since 1970.
    pub timestamp: i64,
    /// The type of the resource.
    pub resource_type: String,
    /// The title of the resource.
    pub resource_title: String,
    /// The property.
    pub property: Option<String>,
    /// The name of the event.
    pub name: Option<String>,
    /// The desired value as JSON.
    pub new_value: Option<String>,
    /// The previous value as JSON.
    pub old_value: Option<String>,
    /// The message.
    pub message: Option<String>,
    /// The file that declares the resource.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// The containers of the resource, outermost first, as a JSON array of strings.
    pub containment_path: String,
    /// The innermost class of the path.
    pub containing_class: Option<String>,
}

pub(super) fn read(mut map: Map<String, Json>, version: i64) -> Result<Report, FleetStoreError> {
    upgrade(&mut map, version);
    let mut object = Object::new(&mut map);
    let mut report = Report {
        certname: object.string("certname"),
        environment: object.string("environment"),
        report_type: object.optional_string("type").unwrap_or_else(|| "agent".into()),
        status: object.maybe_string("status"),
        noop: object.maybe_boolean("noop"),
        noop_pending: object.maybe_boolean("noop_pending"),
        corrective_change: object.maybe_boolean("corrective_change"),
        puppet_version: object.string("puppet_version"),
        report_format: object.integer("report_format"),
        configuration_version: object.string("configuration_version"),
        start_time: object.time("start_time"),
        end_time: object.time("end_time"),
        producer_timestamp: object.time("producer_timestamp"),
        producer: object.maybe_string("producer"),
        transaction_uuid: object.maybe_string("transaction_uuid"),
        catalog_uuid: object.maybe_string("catalog_uuid"),
        code_id: object.maybe_string("code_id"),
        job_id: object.optional_string("job_id"),
        cached_catalog_status: object.maybe_string("cached_catalog_status"),
        metrics: String::new(),
        logs: String::new(),
        resources: String::new(),
        durations: None,
        events: Vec::new(),
        hash: Sha1Hash::default(),
    };
    if !matches!(report.report_type.as_str(), "agent" | "plan") {
        object.part("type", Some("(not (#{\"agent\" \"plan\"}))".into()));
    }
    let metrics = object.objects("metrics");
    let logs = object.objects("logs");
    let resources = object.objects("resources");
    object.part("metrics", first_problem(&metrics, check_metric));
    object.part("logs", first_problem(&logs, check_log));
    let mut problem = None;
    for resource in &resources {
        match read_resource(resource.clone()) {
            Ok(events) => report.events.extend(events),
            Err(text) => problem = problem.or(Some(format!("[{text}]"))),
        }
    }
    object.part("resources", problem);
    refuse("store report", object.problems())?;
    report.hash = hash(&report);
    report.transaction_uuid = uuid(report.transaction_uuid.take())?;
    report.catalog_uuid = uuid(report.catalog_uuid.take())?;
    report.metrics = list(metrics);
    report.logs = list(logs);
    report.resources = list(resources);
    remove_duplicates(&mut report.events);
    clean(&mut report);
    Ok(report)
}

/// Converts versions 5 to 7 to version 8 (`reports.clj`).
fn upgrade(map: &mut Map<String, Json>, version: i64) {
    if version < 6 {
        let events = map.remove("resource_events").unwrap_or_default();
        map.insert("resources".into(), resources_of_events(events));
    }
    if version < 7 {
        let run = map.get("transaction_uuid").cloned().unwrap_or_default();
        map.entry("catalog_uuid").or_insert(run);
        add_missing(map, &["cached_catalog_status", "code_id"]);
    }
    if version < 8 {
        add_missing(map, &["noop_pending", "corrective_change", "producer", "job_id"]);
        for resource in objects_of(map.get_mut("resources")) {
            resource.insert("corrective_change".into(), Json::Null);
            for event in objects_of(resource.get_mut("events")) {
                event.insert("corrective_change".into(), Json::Null);
            }
        }
    }
}

fn objects_of(list: Option<&mut Json>) -> impl Iterator<Item = &mut Map<String, Json>> {
    let items = list.and_then(Json::as_array_mut).into_iter().flatten();
    items.filter_map(Json::as_object_mut)
}

/// The keys of a version 5 event that belong to its resource.
const OF_RESOURCE: [&str; 6] =
    ["file", "line", "timestamp", "resource_type", "resource_title", "containment_path"];

fn resources_of_events(events: Json) -> Json {
    let Json::Array(events) = events else { return events };
    let mut places = std::collections::HashMap::new();
    let mut resources: Vec<Json> = Vec::new();
    for mut event in events {
        let Some(map) = event.as_object_mut() else { continue };
        let mut resource = Map::new();
        for key in OF_RESOURCE {
            // Events keep the time, too.
            let value = if key == "timestamp" { map.get(key).cloned() } else { map.remove(key) };
            if let Some(value) = value {
                resource.insert(key.into(), value);
            }
        }
        let is_skipped = map.get("status").is_some_and(|status| status == "skipped");
        resource.insert("skipped".into(), is_skipped.into());
        let key = Json::Object(resource.clone()).to_string();
        let place = *places.entry(key).or_insert_with(|| {
            resource.insert("events".into(), Json::Array(Vec::new()));
            resources.push(Json::Object(resource));
            resources.len() - 1
        });
        let events = resources.get_mut(place).and_then(|r| r.get_mut("events"));
        if let Some(events) = events.and_then(Json::as_array_mut) {
            events.push(event);
        }
    }
    Json::Array(resources)
}

fn first_problem(
    items: &[Map<String, Json>],
    check: fn(&mut Map<String, Json>) -> Option<String>,
) -> Option<String> {
    let problem = items.iter().find_map(|item| check(&mut item.clone()))?;
    Some(format!("[{problem}]"))
}

fn check_metric(map: &mut Map<String, Json>) -> Option<String> {
    let mut object = Object::new(map);
    object.string("category");
    object.string("name");
    object.number("value");
    object.problems()
}

fn check_log(map: &mut Map<String, Json>) -> Option<String> {
    let mut object = Object::new(map);
    object.maybe_string("file");
    object.maybe_integer("line");
    object.string("level");
    object.string("message");
    object.string("source");
    object.strings("tags");
    object.time("time");
    object.problems()
}

/// The events of a resource, or the problems found in it.
fn read_resource(mut map: Map<String, Json>) -> Result<Vec<Event>, String> {
    let mut object = Object::new(&mut map);
    let skipped = object.boolean("skipped");
    let mut path = object.strings("containment_path");
    path.iter_mut().for_each(text_without_nul);
    let base = Event {
        status: "skipped".into(),
        corrective_change: Some(false),
        timestamp: object.time("timestamp"),
        resource_type: object.string("resource_type"),
        resource_title: object.string("resource_title"),
        property: None,
        name: None,
        new_value: None,
        old_value: None,
        message: None,
        file: object.maybe_string("file"),
        line: object.maybe_integer("line"),
        containing_class: containing_class(&path),
        containment_path: Json::from(path).to_string(),
    };
    object.maybe_boolean("corrective_change");
    let mut events = Vec::new();
    for event in object.objects("events") {
        match read_event(event, &base) {
            Ok(event) => events.push(event),
            Err(text) => object.part("events", Some(format!("[{text}]"))),
        }
    }
    match object.problems() {
        Some(text) => Err(text),
        // A skipped resource has exactly one event.
        None if skipped => Ok(vec![base]),
        None => Ok(events),
    }
}

fn read_event(mut map: Map<String, Json>, base: &Event) -> Result<Event, String> {
    let mut object = Object::new(&mut map);
    let event = Event {
        status: object.string("status"),
        corrective_change: object.maybe_boolean("corrective_change"),
        timestamp: object.time("timestamp"),
        property: object.maybe_string("property"),
        name: object.optional_string("name"),
        new_value: json_text(object.any("new_value")),
        old_value: json_text(object.any("old_value")),
        message: object.maybe_string("message"),
        ..base.clone()
    };
    match object.problems() {
        Some(text) => Err(text),
        None => Ok(event),
    }
}

fn json_text(mut value: Json) -> Option<String> {
    if value.is_null() {
        return None;
    }
    without_nul(&mut value);
    Some(value.to_string())
}

/// The innermost class among the containers: classes have no brackets.
fn containing_class(path: &[String]) -> Option<String> {
    path.iter().rev().find(|name| !name.is_empty() && !name.contains('[')).cloned()
}

/// Removes duplicates: equal events are stored once.
fn remove_duplicates(events: &mut Vec<Event>) {
    let keep: Vec<bool> = {
        let mut seen = HashSet::with_capacity(events.len());
        let same = |event: &Event| {
            let e = event.clone();
            // These fields do not count when PuppetDB compares events.
            Event {
                corrective_change: None,
                containment_path: String::new(),
                containing_class: None,
                ..e
            }
        };
        events.iter().map(|event| seen.insert(same(event))).collect()
    };
    let mut keep = keep.into_iter();
    events.retain(|_| keep.next().unwrap_or(true));
}

/// `report-identity-hash`.
fn hash(report: &Report) -> Sha1Hash {
    let time = |micros| Some(format_time(micros));
    let mut text = String::new();
    for (key, value) in [
        ("certname", Some(report.certname.clone())),
        ("configuration_version", Some(report.configuration_version.clone())),
        ("end_time", time(report.end_time)),
        ("producer_timestamp", time(report.producer_timestamp)),
        ("puppet_version", Some(report.puppet_version.clone())),
        ("report_format", None),
        ("start_time", time(report.start_time)),
        ("transaction_uuid", report.transaction_uuid.clone()),
    ] {
        text.push(if text.is_empty() { '{' } else { ',' });
        write_string(&mut text, key);
        text.push(':');
        match value {
            Some(value) => write_string(&mut text, &value),
            None if key == "report_format" => text.push_str(&report.report_format.to_string()),
            None => text.push_str("null"),
        }
    }
    text.push('}');
    sha1(&text)
}

fn list(items: Vec<Map<String, Json>>) -> String {
    let mut value = Json::Array(items.into_iter().map(Json::Object).collect());
    without_nul(&mut value);
    value.to_string()
}

/// Replaces characters that PostgreSQL cannot store.
fn clean(report: &mut Report) {
    let optional = [
        &mut report.status,
        &mut report.producer,
        &mut report.code_id,
        &mut report.job_id,
        &mut report.cached_catalog_status,
    ];
    let required = [
        &mut report.certname,
        &mut report.environment,
        &mut report.puppet_version,
        &mut report.configuration_version,
    ];
    optional.into_iter().flatten().chain(required).for_each(text_without_nul);
    for event in &mut report.events {
        let optional = [
            &mut event.property,
            &mut event.name,
            &mut event.message,
            &mut event.file,
            &mut event.containing_class,
        ];
        let required = [&mut event.status, &mut event.resource_type, &mut event.resource_title];
        optional.into_iter().flatten().chain(required).for_each(text_without_nul);
    }
}
