//! Answers queries for comparison with the real PuppetDB.
//!
//! The arguments are databases: SQLite files or PostgreSQL URLs. Each line of the input is a JSON
//! object. `{"command", "version", "payload"}` is stored. For `{"path", "parameters", "body"}`, the
//! output has a line with an array of one object per database: `{"status", "records", "body"}`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use ordain_fleet_store::{Command, Database, Postgres, Sqlite, apply, now};
use ordain_puppetdb::{QueryRequest, Response, Settings, answer, sqlite_functions};
use serde_json::{Value, json};

fn open(address: &str) -> Box<dyn Database> {
    if address.starts_with("postgres") {
        Box::new(Postgres::connect(address, 2).expect("the database answers"))
    } else {
        Box::new(Sqlite::open(Path::new(address), 2, sqlite_functions()).expect("a database"))
    }
}

fn store(databases: &[Box<dyn Database>], line: &Value) -> Value {
    let name = line["command"].as_str().unwrap();
    let version = line["version"].as_i64().unwrap();
    let outcomes = databases.iter().map(|database| {
        let command = Command::from_json(name, version, line["payload"].clone(), now());
        match command.and_then(|command| apply(database.as_ref(), &command, now())) {
            Ok(outcome) => json!(format!("{outcome:?}")),
            Err(error) => json!({"error": error.to_string()}),
        }
    });
    Value::Array(outcomes.collect())
}

fn ask(databases: &[Box<dyn Database>], line: &Value) -> Value {
    let parameters: BTreeMap<String, String> =
        serde_json::from_value(line["parameters"].clone()).unwrap_or_default();
    let parameters: Vec<_> = parameters.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let path = line["path"].as_str().unwrap();
    let request = QueryRequest::get(path, &parameters).map(|request| match &line["body"] {
        Value::String(body) => QueryRequest { body: Some(body.clone().into()), ..request },
        _ => request,
    });
    let answers = databases.iter().map(|database| {
        let mut output = Response::default();
        let start = Instant::now();
        let result = request.clone().and_then(|request| {
            answer(database.as_ref(), &Settings::default(), &request, &mut output)
        });
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(()) => json!({
                "status": 200,
                "records": output.head.records,
                "body": String::from_utf8_lossy(&output.body),
                "seconds": seconds,
            }),
            Err(error) => json!({"status": error.status, "body": error.body, "seconds": seconds}),
        }
    });
    Value::Array(answers.collect())
}

fn main() {
    let databases: Vec<_> = std::env::args().skip(1).map(|address| open(&address)).collect();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).expect("a line of JSON");
        let reply = if line["command"].is_string() {
            store(&databases, &line)
        } else {
            ask(&databases, &line)
        };
        writeln!(output, "{reply}").and_then(|()| output.flush()).expect("the output is open");
    }
}
