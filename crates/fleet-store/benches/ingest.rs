//! Measures how fast commands are stored, and the size of the database.
//!
//! `cargo bench -p ordain-fleet-store --bench ingest -- [NODES [RESOURCES]]` measures SQLite, and
//! PostgreSQL if it is installed. Both wait until data is on disk.
#![allow(clippy::unwrap_used)]

#[path = "../tests/suite/databases.rs"]
#[allow(dead_code)]
mod databases;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ordain_fleet_store::{Command, Database, Sqlite, apply, apply_all, format_time, read};
use serde_json::{Value as Json, json};

const NOW: i64 = 1_795_694_400_000_000;
const MINUTE: i64 = 60_000_000;

/// The catalog of a node. Nine out of ten resources are the same on all nodes; `version` changes
/// one of them.
fn catalog(node: usize, resources: usize, time: i64, version: usize) -> Json {
    let list: Vec<Json> = (0..resources)
        .map(|i| {
            let own = if i % 10 == 0 { format!("node {node}") } else { String::new() };
            let version = if i == 7 { version } else { 0 };
            json!({
                "type": "File", "title": format!("/srv/application/{i}.conf"), "exported": false,
                "file": "/etc/puppetlabs/code/environments/production/modules/role/manifests/init.pp",
                "line": i, "tags": ["file", "class", "role", format!("part{}", i / 20), "profile"],
                "parameters": {
                    "ensure": "file", "owner": "root", "group": "root", "mode": "0644",
                    "content": format!("{own} setting {i} {version}\n").repeat(10),
                },
            })
        })
        .collect();
    let edges: Vec<Json> = (1..resources)
        .map(|i| {
            let end =
                |i: usize| json!({ "type": "File", "title": format!("/srv/application/{i}.conf") });
            json!({ "source": end(i / 20 * 20), "target": end(i), "relationship": "contains" })
        })
        .filter(|edge| edge["source"] != edge["target"])
        .collect();
    json!({
        "certname": format!("node{node}.example.com"), "version": "1", "environment": "production",
        "code_id": null, "transaction_uuid": null, "catalog_uuid": null, "job_id": null,
        "producer": "server", "producer_timestamp": format_time(time), "resources": list,
        "edges": edges,
    })
}

/// About 300 values; `volatile` of them change in each run.
fn facts(node: usize, time: i64, volatile: usize) -> Json {
    let mut values = json!({
        "os": { "family": "Debian", "name": "Debian", "release": { "full": "12.1", "major": "12" } },
        "networking": { "hostname": format!("node{node}"), "ip": format!("10.0.{}.{}", node / 256, node % 256) },
        "kernel": "Linux", "virtual": "kvm", "is_virtual": true,
        "uptime": { "seconds": if volatile > 0 { time / 1_000_000 } else { 1 } },
    });
    for i in 0..60 {
        let moving = if i < volatile { time % 1_000_003 } else { 0 };
        values[format!("fact{i}")] =
            json!({ "a": i, "b": [1, 2, "x"], "c": format!("text {moving}") });
    }
    json!({
        "certname": format!("node{node}.example.com"), "environment": "production",
        "producer": "server", "producer_timestamp": format_time(time), "values": values,
    })
}

fn report(node: usize, time: i64) -> Json {
    let metrics: Vec<Json> = (0..40)
        .map(|i| json!({ "category": "time", "name": format!("metric{i}"), "value": (time % 977) as f64 / 7.0 }))
        .collect();
    json!({
        "certname": format!("node{node}.example.com"), "environment": "production",
        "puppet_version": "8.10.0", "report_format": 12, "configuration_version": "1732628400",
        "start_time": format_time(time), "end_time": format_time(time + 5_000_000),
        "producer_timestamp": format_time(time + 6_000_000), "producer": "server", "resources": [],
        "metrics": metrics,
        "logs": [{ "file": null, "line": null, "level": "notice", "message": "Applied catalog in 1.23 seconds",
            "source": "Puppet", "tags": ["notice"], "time": format_time(time) }],
        "transaction_uuid": "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5",
        "catalog_uuid": "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5", "code_id": null, "job_id": null,
        "cached_catalog_status": "not_used", "status": "unchanged", "noop": false,
        "noop_pending": false, "corrective_change": false,
    })
}

fn command(name: &str, version: i64, payload: Json) -> (Command, i64) {
    (Command::from_json(name, version, payload, NOW).unwrap(), NOW)
}

/// Applies the command that `make` returns for each node, on several threads. Only the time in the
/// database is measured.
fn measure(
    database: &dyn Database,
    what: &str,
    (nodes, threads, batch): (usize, usize, usize),
    make: &(dyn Fn(usize) -> Vec<(Command, i64)> + Sync),
) {
    let next = AtomicUsize::new(0);
    let results: Vec<(usize, Duration)> = std::thread::scope(|scope| {
        let work = || {
            let (mut count, mut spent) = (0, Duration::ZERO);
            loop {
                let first = next.fetch_add(batch, Ordering::Relaxed);
                if first >= nodes {
                    return (count, spent);
                }
                let commands: Vec<_> = (first..nodes.min(first + batch)).flat_map(make).collect();
                count += commands.len();
                let start = Instant::now();
                if batch > 1 {
                    for outcome in apply_all(database, &commands).unwrap() {
                        outcome.unwrap();
                    }
                } else {
                    for (command, received) in &commands {
                        apply(database, command, *received).unwrap();
                    }
                }
                spent += start.elapsed();
            }
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let count: usize = results.iter().map(|(count, _)| count).sum();
    let rate: f64 = results.iter().map(|(count, spent)| *count as f64 / spent.as_secs_f64()).sum();
    println!("| {what} | {threads} | {batch} | {count} | {rate:.0}/s |");
}

fn run(database: &dyn Database, nodes: usize, resources: usize, size: &dyn Fn() -> String) {
    println!("\n{:?}: {nodes} nodes of {resources} resources\n", database.dialect());
    println!(
        "| commands | threads | a transaction | number | rate |\n| --- | --- | --- | --- | --- |"
    );
    let catalogs = |time: i64, version: usize| {
        move |node: usize| {
            vec![command("replace_catalog", 9, catalog(node, resources, time, version))]
        }
    };
    measure(database, "new catalogs", (nodes, 2, 1), &catalogs(NOW, 0));
    let fresh = |node: usize| vec![command("replace_facts", 5, facts(node, NOW, 0))];
    measure(database, "new facts", (nodes, 2, 1), &fresh);
    println!("| size on disk: {} | | | | |", size());
    let unchanged = |minutes: i64| {
        move |node: usize| {
            let time = NOW + minutes * MINUTE;
            vec![
                command("replace_facts", 5, facts(node, time, 0)),
                command("replace_catalog", 9, catalog(node, resources, time, 0)),
                command("store_report", 8, report(node, time)),
            ]
        }
    };
    measure(database, "runs without changes", (nodes, 1, 1), &unchanged(1));
    measure(database, "runs without changes", (nodes, 4, 1), &unchanged(2));
    measure(database, "runs without changes", (nodes, 2, 32), &unchanged(3));
    let moved = |node: usize| vec![command("replace_facts", 5, facts(node, NOW + 4 * MINUTE, 15))];
    measure(database, "facts of which 16 values changed", (nodes, 2, 1), &moved);
    measure(
        database,
        "catalogs with a changed resource",
        (nodes, 2, 1),
        &catalogs(NOW + 4 * MINUTE, 1),
    );
    println!("| size on disk: {} | | | | |", size());
    for table in ["resources", "catalog_resources", "facts", "reports"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let count = read(database, None, |c| c.value(&sql, &[])).unwrap().unwrap();
        println!("| rows of {table} | | | {} | |", count.integer().unwrap());
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let nodes = numbers.first().copied().unwrap_or(1000);
    let resources = numbers.get(1).copied().unwrap_or(500);
    let dir = tempfile::tempdir().unwrap();
    let database = Sqlite::open(&dir.path().join("fleet.db"), 4, Vec::new()).unwrap();
    run(&database, nodes, resources, &|| {
        let files = std::fs::read_dir(dir.path()).unwrap();
        let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        format!("{} MB", bytes / 1_000_000)
    });
    databases::with_postgres(|address| {
        let database = ordain_fleet_store::Postgres::connect(address, 8).unwrap();
        run(&database, nodes, resources, &|| {
            let sql = "SELECT pg_database_size(current_database())";
            let bytes = read(&database, None, |c| c.value(sql, &[])).unwrap().unwrap();
            format!("{} MB", bytes.integer().unwrap() / 1_000_000)
        });
    });
}
