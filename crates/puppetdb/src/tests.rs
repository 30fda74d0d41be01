//! Golden cases: a request, its SQL for both databases, and the answer from SQLite.
//!
//! Each page of `tests/golden` has requests in lines that begin with `> `: a path, and a query or
//! parameters as a JSON object. The lines after it are written by the test.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use ordain_fleet_store::{Command, Database, Dialect, Sqlite, apply};
use ordain_testkit::golden::golden;
use serde_json::Value;

use crate::response::{Settings, compile};
use crate::{QueryError, QueryRequest, Response, answer, sqlite_functions};

/// When the commands arrive, in microseconds since 1970.
const RECEIVED: i64 = 1_795_000_000_000_000;

/// A store with a few nodes; commands are in `commands.json`.
fn database(directory: &Path) -> Sqlite {
    let database = Sqlite::open(&directory.join("db"), 2, sqlite_functions()).unwrap();
    let text = include_str!("../tests/golden/commands.json");
    for line in serde_json::from_str::<Vec<Value>>(text).unwrap() {
        let (name, version) = (line[0].as_str().unwrap(), line[1].as_i64().unwrap());
        let command = Command::from_json(name, version, line[2].clone(), RECEIVED).unwrap();
        apply(&database, &command, RECEIVED).unwrap();
    }
    database
}

/// The request of a line: `PATH QUERY` or `PATH {"parameter": value}`.
fn request(line: &str) -> QueryRequest {
    let (path, rest) = line.split_once(' ').unwrap_or((line, ""));
    let path = if path == "/" { "" } else { path };
    let parameters: Vec<(String, String)> = match serde_json::from_str(rest) {
        Ok(Value::Object(map)) => map
            .into_iter()
            .map(|(key, value)| match value {
                Value::String(text) => (key, text),
                other => (key, other.to_string()),
            })
            .collect(),
        _ if rest.is_empty() => Vec::new(),
        _ => vec![("query".into(), rest.into())],
    };
    let parameters: Vec<_> = parameters.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    QueryRequest::get(path, &parameters).unwrap()
}

fn ask(database: &dyn Database, request: &QueryRequest) -> Result<Response, QueryError> {
    let mut output = Response::default();
    answer(database, &Settings::default(), request, &mut output)?;
    Ok(output)
}

fn describe(database: &dyn Database, line: &str) -> String {
    let mut out = String::new();
    let request = request(line);
    for (name, dialect) in [("sqlite", Dialect::Sqlite), ("postgres", Dialect::Postgres)] {
        if let Ok((sql, parameters)) = compile(&request, dialect) {
            let parameters: Vec<_> = parameters.iter().map(|value| format!("{value:?}")).collect();
            writeln!(out, "{name}: {sql} [{}]", parameters.join(", ")).unwrap();
        }
    }
    match ask(database, &request) {
        Ok(answer) => {
            if let Some(records) = answer.head.records {
                writeln!(out, "records: {records}").unwrap();
            }
            writeln!(out, "200: {}", String::from_utf8(answer.body).unwrap()).unwrap();
        }
        Err(error) => writeln!(out, "{}: {}", error.status, error.body).unwrap(),
    }
    out
}

#[test]
fn queries_have_their_sql_and_answer() {
    let directory = tempfile::tempdir().unwrap();
    let database = database(directory.path());
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    golden(5, |golden| {
        for name in ["conditions", "endpoints", "errors", "event_counts", "resource_counts"] {
            golden.page(&pages.join(name).with_extension("txt"), |text| {
                let requests = text.lines().filter_map(|line| line.strip_prefix("> "));
                requests.fold(String::new(), |out, line| {
                    out + "> " + line + "\n" + &describe(&database, line) + "\n"
                })
            });
        }
    });
}

#[test]
fn deactivated_nodes_are_inactive_until_they_are_purged() {
    let directory = tempfile::tempdir().unwrap();
    let database = database(directory.path());
    let request = request("/ nodes[certname]{node_state = \"inactive\"}");
    for (days, expected) in [(100_000, r#"[{"certname":"gone.example.com"}]"#), (0, "[]")] {
        let node_purge_ttl = Duration::from_secs(days * 86_400);
        let settings = Settings { node_purge_ttl, ..Settings::default() };
        let mut output = Response::default();
        answer(&database, &settings, &request, &mut output).unwrap();
        assert_eq!(String::from_utf8(output.body).unwrap(), expected, "{days}");
    }
}

#[test]
fn values_of_queries_are_never_text_of_sql() {
    let payload = "x' OR 1=1; DROP TABLE facts; --";
    let queries = [
        serde_json::json!(["from", "nodes", ["=", "certname", payload]]),
        serde_json::json!(["from", "nodes", ["~", "certname", payload]]),
        serde_json::json!(["from", "nodes", ["in", "certname", ["array", [payload, "y"]]]]),
        serde_json::json!(["from", "facts", ["=", "value", payload]]),
        serde_json::json!(["from", "inventory", ["=", format!("facts.\"{payload}\".x"), payload]]),
        serde_json::json!(["from", "inventory", ["~", format!("facts.{payload}"), payload]]),
        serde_json::json!(["from", "inventory", ["extract", [format!("facts.{payload}")]]]),
        serde_json::json!(["from", "inventory", ["=", format!("facts.match(\"{payload}\")"), 1]]),
        serde_json::json!(["from", "fact_contents", ["~>", "path", [payload, 0]]]),
        serde_json::json!(["from", "fact_contents", ["=", "path", [payload]]]),
        serde_json::json!(["from", "resources", ["=", ["parameter", payload], payload]]),
        serde_json::json!(["from", "resources", ["=", "tag", payload]]),
        serde_json::json!(["from", "nodes", ["=", ["fact", payload], payload]]),
        serde_json::json!([
            "from",
            "facts",
            ["extract", [["function", "jsonb_typeof", "value"]], ["=", "name", payload]]
        ]),
        serde_json::json!([
            "from",
            "reports",
            ["extract", [["function", "to_string", "start_time", payload]]]
        ]),
        serde_json::json!(["from", "facts", ["=", ["function", "jsonb_typeof", "value"], payload]]),
    ];
    let directory = tempfile::tempdir().unwrap();
    let database = database(directory.path());
    for query in queries {
        let text = query.to_string();
        let request = QueryRequest::get("", &[("query", text.as_str())]).unwrap();
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let (sql, _) = compile(&request, dialect).unwrap();
            assert!(!sql.contains("DROP"), "{sql}");
        }
        ask(&database, &request).unwrap();
    }
}

#[test]
fn large_queries_end_with_an_answer_or_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let database = database(directory.path());
    let deep = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let nested =
        |count: usize| format!("nodes{{{}}}", deep("certname in nodes[certname]{", "", "}", count));
    let alternatives: Vec<_> =
        (0..1_000).map(|n| format!("[\"~\",\"certname\",\"x{n}\"]")).collect();
    let values: Vec<_> = (0..50_000).map(|n| format!("\"x{n}\"")).collect();
    for (query, status) in [
        (deep("[\"not\",", "[\"=\",\"certname\",\"a\"]", "]", 90), 400),
        (deep("[\"not\",", "[\"=\",\"certname\",\"a\"]", "]", 100_000), 400),
        (deep("[", "", "]", 1_000_000), 400),
        (format!("nodes{{{}}}", deep("(", "certname='a'", ")", 40)), 200),
        (format!("nodes{{{}}}", deep("(", "certname='a'", ")", 100_000)), 400),
        (format!("nodes{{{}certname='a'}}", "!".repeat(100_000)), 400),
        (nested(10_000), 400),
        (nested(120), 400),
        (nested(45), 400),
        (nested(30), 200),
        (format!("[\"from\",\"nodes\",[\"or\",{}]]", alternatives.join(",")), 200),
        (
            format!(
                "[\"from\",\"nodes\",[\"in\",\"certname\",[\"array\",[{}]]]]",
                values.join(",")
            ),
            200,
        ),
    ] {
        let request = QueryRequest::get("", &[("query", query.as_str())]).unwrap();
        let status_of =
            |result: Result<Response, QueryError>| result.map_or_else(|e| e.status, |_| 200);
        let start: String = query.chars().take(60).collect();
        assert_eq!(status_of(ask(&database, &request)), status, "{start}");
    }
}
