//! Fills a database with the nodes of a large fleet, and measures the queries of Puppetboard.
//!
//! `cargo run --release -p ordain-puppetdb --example fleet -- DATABASE NODES [REPORTS]`: DATABASE
//! is an SQLite file or a PostgreSQL URL. Each node has 87 facts, a catalog of 50 resources and
//! REPORTS reports of 50 resources, one per day. A database that already has nodes is only
//! measured.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_fleet_store::{Command, Database, Postgres, Sqlite, apply_all, format_time, now, read};
use ordain_puppetdb::{
    QueryRequest, ResponseHead, ResponseWriter, Settings, answer, sqlite_functions,
};
use serde_json::{Value, json};

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 1_440 * MINUTE;
/// The number of commands in a transaction, as in the server.
const BATCH: usize = 64;

fn name(node: usize) -> String {
    format!("node{node:06}.example.org")
}

fn environment(node: usize) -> &'static str {
    if node.is_multiple_of(10) { "staging" } else { "production" }
}

/// The facts of a node: 87 names with about 330 leaves.
fn facts(node: usize, time: i64) -> Value {
    let (a, b) = (node / 250 % 250, node % 250);
    let mac = format!("52:54:00:{:02x}:{a:02x}:{b:02x}", node / 62_500);
    let interface = |number: usize| {
        let ip = format!("10.{number}.{a}.{b}");
        json!({
            "ip": ip, "mac": mac, "mtu": 1500, "netmask": "255.255.255.0",
            "network": format!("10.{number}.{a}.0"), "operational_state": "up", "duplex": "full",
            "bindings": [{ "address": ip, "netmask": "255.255.255.0" }],
        })
    };
    let mount = |device: &str| {
        json!({
            "device": device, "filesystem": "ext4", "options": ["rw", "relatime"],
            "size": "98.0 GiB", "size_bytes": 105_226_698_752_u64,
            "available": "60.1 GiB", "available_bytes": 64_531_000_000_u64 + time as u64 % 1_000_000,
            "used": "37.9 GiB", "used_bytes": 40_695_000_000_u64, "capacity": "38.67%",
        })
    };
    let os = json!({
        "name": "Debian", "family": "Debian", "architecture": "amd64", "hardware": "x86_64",
        "distro": { "codename": "bookworm", "id": "Debian", "description": "Debian GNU/Linux 12",
            "release": { "full": "12.5", "major": "12", "minor": "5" } },
        "release": { "full": "12.5", "major": "12", "minor": "5" }, "selinux": { "enabled": false },
    });
    let mut all = json!({
        "os": os, "kernel": "Linux", "kernelrelease": format!("6.1.0-{}-amd64", 10 + node % 4),
        "networking": {
            "hostname": format!("node{node:06}"), "domain": "example.org", "fqdn": name(node),
            "ip": format!("10.0.{a}.{b}"), "mac": mac, "primary": "eth0",
            "interfaces": { "eth0": interface(0), "eth1": interface(1), "lo": interface(2) },
        },
        "memory": { "system": { "total": "15.6 GiB", "total_bytes": 16_750_000_000_u64,
            "available_bytes": 9_000_000_000_u64 + time as u64 % 999_983, "capacity": "41.2%" } },
        "processors": { "count": 8, "isa": "x86_64", "physicalcount": 1,
            "models": vec!["Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"; 8] },
        "mountpoints": { "/": mount("/dev/vda1"), "/var": mount("/dev/vda2"), "/srv": mount("/dev/vdb1") },
        "system_uptime": { "seconds": time / 1_000_000 % 9_000_000, "days": node % 100 },
        "load_averages": { "1m": (time % 97) as f64 / 10.0, "5m": 0.5, "15m": 0.25 },
        "dmi": { "manufacturer": "QEMU", "product": { "name": "Standard PC", "uuid": format!("{node:032x}") } },
        "ssh": { "rsa": { "type": "ssh-rsa", "key": format!("{node:0>300x}"),
            "fingerprints": { "sha256": format!("SHA256 {node:064x}") } } },
        "puppetversion": format!("8.{}.0", node % 5), "is_virtual": true, "virtual": "kvm",
        "timezone": "UTC", "role": format!("role{}", node % 40), "datacenter": format!("dc{}", node % 4),
        "trusted": { "authenticated": "remote", "certname": name(node), "domain": "example.org",
            "hostname": format!("node{node:06}"), "extensions": { "pp_role": format!("role{}", node % 40) } },
    });
    let flat = all.as_object().unwrap().len();
    for number in flat..87 {
        let value = if number % 8 == 0 {
            json!({ "version": format!("1.{}.{}", node % 7, number), "enabled": node.is_multiple_of(3), "ports": [80, 443] })
        } else {
            json!(format!("value {} of fact {number}", node % 12))
        };
        all[format!("site_fact_{number}")] = value;
    }
    json!({
        "certname": name(node), "environment": environment(node), "producer": "server.example.org",
        "producer_timestamp": format_time(time), "values": all,
    })
}

/// The catalog of a node. Nine out of ten resources are the same on many nodes.
fn catalog(node: usize, time: i64) -> Value {
    let resource = |number: usize| {
        let own = if number % 10 == 9 { name(node) } else { format!("role{}", node % 40) };
        json!({
            "type": if number == 0 { "Class" } else { "File" }, "title": format!("/srv/app/{number}"),
            "exported": false, "tags": ["file", "class", "profile"], "line": number,
            "file": "/etc/puppetlabs/code/environments/production/manifests/site.pp",
            "parameters": { "ensure": "file", "mode": "0644", "content": format!("{own} {number}\n") },
        })
    };
    json!({
        "certname": name(node), "version": "1", "environment": environment(node), "code_id": null,
        "transaction_uuid": null, "catalog_uuid": null, "job_id": null, "edges": [],
        "producer": "server.example.org", "producer_timestamp": format_time(time),
        "resources": (0..50).map(resource).collect::<Vec<_>>(),
    })
}

/// The statuses of the events of a run: most runs change nothing.
fn events(node: usize, run: usize) -> (&'static str, bool, &'static [&'static str]) {
    match (node * 7 + run * 13) % 100 {
        0..10 => ("changed", false, &["success", "success", "success"]),
        10..13 => ("failed", false, &["failure", "failure", "skipped", "skipped", "skipped"]),
        13..15 => ("unchanged", true, &["noop", "noop", "noop", "noop"]),
        _ => ("unchanged", false, &[]),
    }
}

fn report(node: usize, run: usize, time: i64) -> Value {
    let (status, noop, statuses) = events(node, run);
    let at = format_time(time);
    let resource = |number: usize| {
        let title = format!("/srv/app/{number}");
        let events: Vec<Value> = statuses.get(number).into_iter().map(|status| {
            json!({ "status": status, "timestamp": at, "property": "content", "name": "content_changed",
                "new_value": "{md5}0123456789abcdef0123456789abcdef", "old_value": "{md5}f",
                "message": "content changed", "corrective_change": false })
        }).collect();
        json!({ "skipped": false, "timestamp": at, "resource_type": "File", "resource_title": title,
            "file": "/etc/puppetlabs/code/environments/production/manifests/site.pp", "line": number,
            "containment_path": ["Stage[main]", "Profile::Base", format!("File[{title}]")],
            "corrective_change": false, "events": events })
    };
    let metric = |number: usize| json!({ "category": "time", "name": format!("metric{number}"), "value": number });
    json!({
        "certname": name(node), "environment": environment(node), "puppet_version": "8.10.0",
        "report_format": 12, "configuration_version": "1795694400", "start_time": at,
        "end_time": format_time(time + MINUTE / 4), "producer_timestamp": format_time(time + MINUTE / 3),
        "producer": "server.example.org", "transaction_uuid": null, "catalog_uuid": null,
        "code_id": null, "job_id": null, "cached_catalog_status": "not_used", "status": status,
        "noop": noop, "noop_pending": noop, "corrective_change": false,
        "resources": (0..50).map(resource).collect::<Vec<_>>(),
        "metrics": (0..40).map(metric).collect::<Vec<_>>(),
        "logs": [{ "file": null, "line": null, "level": "notice", "source": "Puppet", "tags": ["notice"],
            "message": "Applied catalog in 1.23 seconds", "time": at }],
    })
}

fn store(
    database: &dyn Database,
    what: &str,
    version: i64,
    nodes: usize,
    make: &dyn Fn(usize) -> Value,
) {
    let mut spent = Duration::ZERO;
    for first in (0..nodes).step_by(BATCH) {
        let command = |node| (Command::from_json(what, version, make(node), now()).unwrap(), now());
        let commands: Vec<_> = (first..nodes.min(first + BATCH)).map(command).collect();
        let begin = Instant::now();
        for outcome in apply_all(database, &commands).unwrap() {
            outcome.unwrap();
        }
        spent += begin.elapsed();
    }
    println!("| {what} | {nodes} | {:.0}/s |", nodes as f64 / spent.as_secs_f64());
}

/// Counts the bytes of an answer.
#[derive(Default)]
struct Counter(usize);

impl ResponseWriter for Counter {
    fn begin(&mut self, _: ResponseHead) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0 += bytes.len();
        Ok(())
    }
}

/// The queries of a page: paths and parameters.
type Page = (&'static str, Vec<(String, Vec<(&'static str, String)>)>);

fn pages(nodes: usize) -> Vec<Page> {
    let query = |path: &str, query: Value| (path.to_owned(), vec![("query", query.to_string())]);
    let count = |path: &str, condition: Value| {
        query(path, json!(["extract", [["function", "count"]], condition]))
    };
    let of = |field: &str| json!(["=", field, "production"]);
    let nodes_of = query("/nodes", of("catalog_environment"));
    let counts = || {
        let (path, mut parameters) = query("/event-counts", json!(["=", "latest_report?", true]));
        parameters.push(("summarize_by", "certname".to_owned()));
        (path, parameters)
    };
    let day = |ago: i64| {
        let time = |days: i64| format_time((now() / DAY + days) * DAY);
        let condition = json!([
            "and",
            [">=", "producer_timestamp", time(-ago)],
            ["<", "producer_timestamp", time(1 - ago)],
            of("environment")
        ]);
        query(
            "/reports",
            json!([
                "extract",
                [["function", "count"], "status"],
                condition,
                ["group_by", "status"]
            ]),
        )
    };
    let reports = |condition: Value, limit: usize| {
        let (path, mut parameters) = query("/reports", condition);
        parameters
            .push(("order_by", json!([{ "field": "end_time", "order": "desc" }]).to_string()));
        parameters.push(("limit", limit.to_string()));
        parameters.push(("include_total", "true".to_owned()));
        (path, parameters)
    };
    let node = name(nodes / 2);
    let inventory = json!([
        "and",
        [
            "or",
            ["=", "name", "trusted"],
            ["=", "name", "networking"],
            ["=", "name", "os"],
            ["=", "name", "kernelrelease"],
            ["=", "name", "puppetversion"]
        ],
        of("environment")
    ]);
    let found = json!([
        "and",
        of("environment"),
        [
            "or",
            ["~", "certname", "node0001"],
            ["~", "puppet_version", "node0001"],
            ["~", "configuration_version", "node0001"]
        ]
    ]);
    let of_status = |status: &str| {
        json!([
            "and",
            of("environment"),
            ["or", ["and", ["=", "status", status], ["=", "noop", false]]]
        ])
    };
    vec![
        ("environments", vec![("/environments".to_owned(), vec![])]),
        ("overview: number of nodes", vec![count("/nodes", of("catalog_environment"))]),
        ("overview: number of resources", vec![count("/resources", of("environment"))]),
        ("overview: counts of events", vec![counts()]),
        ("overview: chart, 8 days", (0..8).map(day).collect()),
        ("overview and nodes: all nodes", vec![nodes_of]),
        (
            "nodes: failed",
            vec![query(
                "/nodes",
                json!(["and", of("catalog_environment"), ["=", "latest_report_status", "failed"]]),
            )],
        ),
        ("reports: last 100 of all", vec![reports(of("environment"), 100)]),
        ("reports: last 100 failed", vec![reports(of_status("failed"), 100)]),
        ("reports: search", vec![reports(found, 100)]),
        (
            "node: itself, facts, reports, chart",
            vec![
                (format!("/nodes/{node}"), vec![]),
                query("/facts", json!(["and", ["=", "certname", node], of("environment")])),
                reports(json!(["and", of("environment"), ["=", "certname", node]]), 10),
            ],
        ),
        ("facts: names", vec![("/fact-names".to_owned(), vec![])]),
        ("fact: kernel of all nodes", vec![query("/facts/kernel", of("environment"))]),
        (
            "fact: one role",
            vec![query("/facts/role", json!(["and", of("environment"), ["=", "value", "role7"]]))],
        ),
        (
            "fact: nodes by os.family and a number",
            vec![query(
                "/inventory",
                json!([
                    "extract",
                    ["certname"],
                    [
                        "and",
                        ["=", "facts.os.family", "Debian"],
                        ["=", "facts.system_uptime.days", 7]
                    ]
                ]),
            )],
        ),
        ("inventory", vec![query("/facts", inventory)]),
        ("catalog", vec![(format!("/catalogs/{node}"), vec![])]),
        (
            "catalogs: list",
            vec![query(
                "/nodes",
                json!(["and", of("catalog_environment"), ["null?", "catalog_timestamp", false]]),
            )],
        ),
    ]
}

fn measure(database: &dyn Database, nodes: usize) {
    println!("\n| queries | time | bytes |\n| --- | --- | --- |");
    for (page, queries) in pages(nodes) {
        let run = || {
            let mut output = Counter::default();
            let begin = Instant::now();
            for (path, parameters) in &queries {
                let parameters: Vec<_> = parameters.iter().map(|(k, v)| (*k, v.as_str())).collect();
                let request = QueryRequest::get(path, &parameters).unwrap();
                answer(database, &Settings::default(), &request, &mut output).unwrap();
            }
            (begin.elapsed(), output.0)
        };
        // The first run reads from the disk and prepares statements.
        let best = (0..4).map(|_| run()).min().unwrap();
        println!("| {page} | {:.1} ms | {} |", best.0.as_secs_f64() * 1e3, best.1);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("\n{peak}");
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().expect("a database");
    let mut number = |default| arguments.next().map_or(default, |text| text.parse().unwrap());
    let (nodes, reports) = (number(1_000), number(2));
    let database: Box<dyn Database> = match address.starts_with("postgres") {
        true => Box::new(Postgres::connect(&address, 2).unwrap()),
        false => Box::new(Sqlite::open(Path::new(&address), 2, sqlite_functions()).unwrap()),
    };
    let database = &*database;
    let known = read(database, None, |c| c.value("SELECT count(*) FROM certnames", &[])).unwrap();
    let known = known.unwrap().integer().unwrap();
    if known == 0 {
        println!("| commands | number | rate |\n| --- | --- | --- |");
        let (time, spread) = (now(), |node: usize| node as i64 % 100 * MINUTE);
        store(database, "replace_facts", 5, nodes, &|node| facts(node, time - DAY));
        store(database, "replace_catalog", 9, nodes, &|node| catalog(node, time - DAY));
        for run in 0..reports {
            let ago = (reports - 1 - run) as i64 * DAY;
            let make = |node| report(node, run, time - ago - spread(node));
            store(database, "store_report", 8, nodes, &make);
        }
        store(database, "replace_facts", 5, nodes, &|node| facts(node, time));
    }
    database.update_statistics().unwrap();
    measure(database, nodes);
}
