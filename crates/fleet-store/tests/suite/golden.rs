//! Commands and the rows that they create, which must be the same in both databases.
//!
//! `tests/golden/NAME/steps.json` has the steps: commands or garbage collections, each with a time.
//! `rows.txt` has their outcomes and the rows afterwards.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ordain_fleet_store::{
    Command, Database, Retention, Value, apply, collect_garbage, decompress, parse_time, read,
};
use serde_json::Value as Json;

use crate::databases::with_each;

/// Queries of the tables, with names in place of ids.
const TABLES: &[(&str, &str)] = &[
    (
        "certnames",
        "SELECT c.certname, c.created, c.deactivated, c.expired,
             CASE WHEN c.facts_expire THEN 'facts expire' ELSE 'facts stay' END,
             c.facts_expire_updated, c.catalog_inputs_timestamp, c.catalog_inputs_uuid,
             c.catalog_inputs_hash, c.package_hash
         FROM certnames c ORDER BY c.certname",
    ),
    (
        "latest reports",
        "SELECT c.certname, c.latest_report_hash, e.environment, c.latest_report_timestamp,
             c.latest_report_producer_timestamp, c.latest_report_status,
             CASE WHEN c.latest_report_noop THEN 'noop' WHEN NOT c.latest_report_noop THEN 'op' END,
             CASE WHEN c.latest_report_noop_pending THEN 'pending' END,
             CASE WHEN c.latest_report_corrective_change THEN 'corrective' END,
             c.latest_report_job_id, c.cached_catalog_status, r.status
         FROM certnames c LEFT JOIN environments e ON e.id = c.latest_report_environment_id
             LEFT JOIN reports r ON r.id = c.latest_report_id
         WHERE c.latest_report_hash IS NOT NULL ORDER BY c.certname",
    ),
    (
        "factsets",
        "SELECT c.certname, e.environment, p.name, f.timestamp, f.producer_timestamp, f.hash, f.facts
         FROM factsets f JOIN certnames c ON c.id = f.certname_id
             LEFT JOIN environments e ON e.id = f.environment_id
             LEFT JOIN producers p ON p.id = f.producer_id
         ORDER BY c.certname",
    ),
    (
        "facts",
        "SELECT c.certname, p.path, p.path_array, p.name, p.depth, p.value_type, f.value_string,
             f.value_integer, f.value_float,
             CASE WHEN f.value_boolean THEN 'true' WHEN NOT f.value_boolean THEN 'false' END
         FROM fact_paths p LEFT JOIN facts f ON f.path_id = p.id
             LEFT JOIN certnames c ON c.id = f.certname_id
         ORDER BY c.certname, p.path, p.value_type",
    ),
    (
        "packages",
        "SELECT c.certname, p.name, p.version, p.provider
         FROM packages p LEFT JOIN certname_packages n ON n.package_id = p.id
             LEFT JOIN certnames c ON c.id = n.certname_id
         ORDER BY c.certname, p.name, p.version",
    ),
    (
        "catalogs",
        "SELECT c.certname, e.environment, p.name, k.timestamp, k.producer_timestamp, k.hash,
             k.catalog_version, k.transaction_uuid, k.catalog_uuid, k.code_id, k.job_id
         FROM catalogs k JOIN certnames c ON c.id = k.certname_id
             LEFT JOIN environments e ON e.id = k.environment_id
             LEFT JOIN producers p ON p.id = k.producer_id
         ORDER BY c.certname",
    ),
    (
        "resources",
        "SELECT c.certname, r.type, r.title, r.file, r.line,
             CASE WHEN r.exported THEN 'exported' END, r.parameters, t.tags, r.resource
         FROM resources r LEFT JOIN catalog_resources k ON k.resource_id = r.id
             LEFT JOIN tag_sets t ON t.id = k.tag_set_id
             LEFT JOIN certnames c ON c.id = k.certname_id
         ORDER BY c.certname, r.type, r.title, r.resource",
    ),
    (
        "tags",
        "SELECT s.tags, t.tag FROM tag_sets s LEFT JOIN tags t ON t.tag_set_id = s.id
         ORDER BY s.hash, t.tag",
    ),
    (
        "edges",
        "SELECT c.certname, e.source_type, e.source_title, e.relationship, e.target_type,
             e.target_title
         FROM edges e LEFT JOIN catalog_edges k ON k.edge_id = e.id
             LEFT JOIN certnames c ON c.id = k.certname_id
         ORDER BY c.certname, e.source_type, e.source_title, e.target_type, e.target_title,
             e.relationship",
    ),
    (
        "catalog inputs",
        "SELECT c.certname, n.ordinal, i.type, i.name
         FROM catalog_inputs i LEFT JOIN certname_catalog_inputs n ON n.catalog_input_id = i.id
             LEFT JOIN certnames c ON c.id = n.certname_id
         ORDER BY c.certname, n.ordinal, i.type, i.name",
    ),
    (
        "reports",
        "SELECT c.certname, r.hash, e.environment, p.name, r.report_type, r.status,
             CASE WHEN r.noop THEN 'noop' WHEN NOT r.noop THEN 'op' END,
             CASE WHEN r.noop_pending THEN 'pending' END,
             CASE WHEN r.corrective_change THEN 'corrective' END,
             r.puppet_version, r.report_format, r.configuration_version, r.start_time, r.end_time,
             r.producer_timestamp, r.receive_time, r.transaction_uuid, r.catalog_uuid, r.code_id,
             r.job_id, r.cached_catalog_status, r.metrics_zstd, r.logs_zstd, r.resources_zstd
         FROM reports r JOIN certnames c ON c.id = r.certname_id
             LEFT JOIN environments e ON e.id = r.environment_id
             LEFT JOIN producers p ON p.id = r.producer_id
         ORDER BY r.producer_timestamp, c.certname, r.hash",
    ),
    (
        "events",
        "SELECT c.certname, e.ordinal, e.status,
             CASE WHEN e.corrective_change THEN 'corrective' END, e.timestamp, e.resource_type,
             e.resource_title, e.property, e.name, e.new_value, e.old_value, e.message, e.file,
             e.line, e.containment_path, e.containing_class
         FROM events e JOIN certnames c ON c.id = e.certname_id JOIN reports r ON r.id = e.report_id
         ORDER BY r.producer_timestamp, c.certname, e.ordinal",
    ),
    (
        "environments",
        "SELECT environment, unused_since FROM environments ORDER BY environment",
    ),
];

/// A value as text. JSON gets sorted keys, because PostgreSQL does not keep their order.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Bytes(bytes) => match decompress(bytes) {
            Ok(content) => String::from_utf8(content).unwrap(),
            Err(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        },
        Value::Text(text) => match serde_json::from_str::<Json>(text) {
            Ok(json @ (Json::Array(_) | Json::Object(_))) => sorted(json).to_string(),
            _ => format!("{text:?}"),
        },
        Value::Float(number) => format!("{number:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
    }
}

fn sorted(json: Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.into_iter().map(sorted).collect()),
        Json::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(entries.into_iter().collect())
        }
        other => other,
    }
}

/// The nodes whose counts of events are not those of the events of their last run.
const WRONG_COUNTS: &str = "SELECT c.certname FROM certnames c
    LEFT JOIN (SELECT report_id, count(*) AS events,
            sum(CASE WHEN status = 'failure' THEN 1 ELSE 0 END) AS failures,
            sum(CASE WHEN status = 'skipped' THEN 1 ELSE 0 END) AS skips,
            sum(CASE WHEN status = 'success' THEN 1 ELSE 0 END) AS successes,
            sum(CASE WHEN status = 'noop' THEN 1 ELSE 0 END) AS noops
        FROM events GROUP BY report_id) e ON e.report_id = c.latest_report_id
    WHERE c.latest_report_events <> coalesce(e.events, 0)
        OR c.latest_report_failures <> coalesce(e.failures, 0)
        OR c.latest_report_skips <> coalesce(e.skips, 0)
        OR c.latest_report_successes <> coalesce(e.successes, 0)
        OR c.latest_report_noops <> coalesce(e.noops, 0)";

pub(crate) fn dump(database: &dyn Database) -> String {
    let wrong = read(database, None, |connection| connection.rows(WRONG_COUNTS, &[])).unwrap();
    assert_eq!(wrong, Vec::<Vec<Value>>::new());
    let mut out = String::new();
    for (title, sql) in TABLES {
        let rows = read(database, None, |connection| connection.rows(sql, &[])).unwrap();
        let mut lines: Vec<String> =
            rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>().join(" | ")).collect();
        // The databases sort NULL differently.
        lines.sort();
        if !lines.is_empty() {
            write!(out, "\n== {title}\n{}\n", lines.join("\n")).unwrap();
        }
    }
    out
}

fn time(step: &Json, key: &str) -> i64 {
    parse_time(step[key].as_str().unwrap()).unwrap()
}

/// Runs a step; returns its outcome as text.
pub(crate) fn run(database: &dyn Database, step: &Json) -> String {
    if step.get("collect").is_some() {
        let now = time(step, "collect");
        let budget = Duration::from_secs(60);
        return match collect_garbage(database, &Retention::default(), now, budget) {
            Ok(collected) => format!("{collected:?}"),
            Err(error) => error.to_string(),
        };
    }
    let received = time(step, "received");
    let name = step["command"].as_str().unwrap();
    let version = step["version"].as_i64().unwrap();
    let payload = step["payload"].to_string();
    let outcome = Command::parse(name, version, payload.as_bytes(), received)
        .and_then(|command| apply(database, &command, received));
    match outcome {
        Ok(outcome) => format!("{outcome:?}"),
        Err(error) => error.to_string(),
    }
}

fn check(name: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let steps: Json =
        serde_json::from_str(&std::fs::read_to_string(dir.join("steps.json")).unwrap()).unwrap();
    let golden = dir.join("rows.txt");
    with_each(|database| {
        let mut out = String::new();
        for (i, step) in steps.as_array().unwrap().iter().enumerate() {
            let what = step["command"].as_str().unwrap_or("collect");
            writeln!(out, "{}. {what}: {}", i + 1, run(database, step)).unwrap();
        }
        out.push_str(&dump(database));
        if std::env::var_os("ORDAIN_BLESS").is_some() && format!("{database:?}").contains("Sqlite")
        {
            std::fs::write(&golden, &out).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap();
        assert_eq!(out, expected, "{} in {database:?}", golden.display());
    });
}

#[test]
fn facts() {
    check("facts");
}

#[test]
fn catalogs() {
    check("catalogs");
}

#[test]
fn reports() {
    check("reports");
}

#[test]
fn nodes() {
    check("nodes");
}

#[test]
fn garbage() {
    check("garbage");
}
