//! Compares the commands of `terminus` with those of PuppetDB's terminus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_fleet_store::terminus::{
    Context, ExportedResource, naming, replace_catalog, replace_facts, store_report,
};
use ordain_fleet_store::{Command as StoreCommand, apply, parse_time, read};
use serde_json::{Map, Value as Json};

use crate::databases::with_each;

/// The terminus, where Debian's package `puppet-terminus-puppetdb` installs it.
const TERMINUS: &str = "/usr/lib/ruby/vendor_ruby/puppet/indirector/catalog/puppetdb.rb";

const CONTEXT: Context<'_> = Context {
    certname: "node.example.com",
    environment: "production",
    // 2026-11-26T12:00:00Z, as in record.rb.
    producer_timestamp: 1_795_694_400_000_000,
    producer: "server.example.com",
    transaction_uuid: Some("8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5"),
    job_id: Some("7"),
};

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminus")
}

/// The output of the real terminus; `None` if it is not installed.
fn recorded() -> Option<Json> {
    if !Path::new(TERMINUS).exists() {
        assert!(std::env::var_os("CI").is_none(), "PuppetDB's terminus is not installed");
        eprintln!("PuppetDB's terminus is not installed: the comparison is left out");
        return None;
    }
    let dir = dir();
    let mut manifests: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pp"))
        .collect();
    manifests.sort();
    let mut ruby = Command::new("ruby");
    ruby.arg(dir.join("record.rb")).arg(dir.join("facts.json")).arg(dir.join("report.yaml"));
    let output = ruby.args(manifests).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The exported resources of a recorded catalog that were not collected, with their containers.
fn exported(case: &Json) -> Vec<ExportedResource> {
    let resources = case["virtual"].as_array().unwrap().iter();
    resources
        .map(|resource| {
            let (kind, title) = (resource["type"].as_str(), resource["title"].as_str());
            let own = format!("{}[{}]", kind.unwrap(), title.unwrap());
            let edges = case["edges"].as_array().unwrap();
            let edge = edges.iter().find(|edge| edge["target"] == own.as_str());
            let container = edge.and_then(|edge| edge["source"].as_str()).map(str::to_owned);
            ExportedResource { resource: resource.clone(), container }
        })
        .collect()
}

/// Sorts the parts whose order has no meaning.
fn normal(mut command: Json) -> Json {
    if let Some(Json::Array(resources)) = command.get_mut("resources") {
        for resource in resources.iter_mut() {
            if let Some(Json::Array(tags)) = resource.get_mut("tags") {
                tags.sort_by_key(ToString::to_string);
            }
        }
        resources.sort_by_key(|r| (r["type"].to_string(), r["title"].to_string()));
    }
    if let Some(Json::Array(edges)) = command.get_mut("edges") {
        *edges = edges.iter().map(|edge| sorted(edge.clone())).collect();
        edges.sort_by_key(ToString::to_string);
    }
    command
}

fn sorted(json: Json) -> Json {
    match json {
        Json::Object(map) => {
            let entries: BTreeMap<String, Json> =
                map.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            Json::Object(entries.into_iter().collect())
        }
        other => other,
    }
}

/// Removes the address that the Ruby terminus adds to a secret.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("[value redacted]:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("[value redacted]");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

fn assert_same(made: &Json, expected: &Json, what: &str) {
    let (made, expected) = (normal(made.clone()), normal(expected.clone()));
    for key in made.as_object().unwrap().keys().chain(expected.as_object().unwrap().keys()) {
        if let (Json::Array(made), Json::Array(expected)) = (&made[key], &expected[key]) {
            for (made, expected) in made.iter().zip(expected) {
                assert_eq!(made, expected, "{what}: {key}");
            }
        }
        assert_eq!(made[key], expected[key], "{what}: {key}");
    }
    assert_eq!(made, expected, "{what}");
}

#[test]
fn commands_equal_those_of_the_terminus() {
    let Some(recorded) = recorded() else { return };
    for (name, case) in recorded["catalogs"].as_object().unwrap() {
        let made = replace_catalog(case["catalog"].clone(), exported(case), &CONTEXT, &naming);
        match case["error"].as_str() {
            Some(error) => assert_eq!(made.unwrap_err().to_string(), error, "{name}"),
            None => {
                let expected = without_addresses(&case["command"].to_string());
                let expected: Json = serde_json::from_str(&expected).unwrap();
                assert_same(&made.unwrap(), &expected, name);
            }
        }
    }
    let facts = &recorded["facts"];
    let values: Map<String, Json> = facts["values"].as_object().unwrap().clone();
    let mut expected = facts["command"].clone();
    let mut made = replace_facts(values, expected["values"]["trusted"].clone(), &CONTEXT);
    // The Ruby terminus uses the current time.
    expected["producer_timestamp"] = made["producer_timestamp"].take();
    made["producer_timestamp"] = expected["producer_timestamp"].clone();
    assert_eq!(sorted(made), sorted(expected));
    let report = &recorded["report"];
    let made = store_report(&report["report"], false, &CONTEXT).unwrap();
    assert_same(&made, &report["command"], "report");
}

#[test]
fn commands_are_stored_without_secrets() {
    let catalog: Json = serde_json::from_str(
        r#"{"name": "node.example.com", "version": 1, "catalog_uuid": null, "code_id": null,
            "resources": [
                {"type": "Class", "title": "main", "tags": ["class"], "exported": false},
                {"type": "User", "title": "a", "tags": ["user"], "exported": false,
                 "parameters": {"password": "CANARY", "before": ["Notify[CANARY-free]"],
                     "options": {"x": {"__ptype": "Sensitive", "__pvalue": "CANARY"}}},
                 "sensitive_parameters": ["password"]},
                {"type": "Notify", "title": "CANARY-free", "tags": ["notify"], "exported": false}],
            "edges": [{"source": "Class[main]", "target": "User[a]"}]}"#,
    )
    .unwrap();
    let now = parse_time("2026-11-26T12:00:00Z").unwrap();
    let command = replace_catalog(catalog, Vec::new(), &CONTEXT, &naming).unwrap();
    let command = StoreCommand::from_json("replace_catalog", 9, command, now).unwrap();
    with_each(|database| {
        apply(database, &command, now).unwrap();
        let sql =
            "SELECT count(*) FROM resources WHERE CAST(parameters AS TEXT) LIKE '%\"CANARY\"%'";
        let count = read(database, None, |connection| connection.value(sql, &[])).unwrap();
        assert_eq!(count.unwrap().integer().unwrap(), 0);
        let rows = crate::golden::dump(database);
        assert!(rows.contains("[value redacted]"), "{rows}");
    });
}
