//! The database of a server with the nodes of `examples/fleet`: their facts, the catalogs that the
//! example compiles to, and reports of a day.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use ordain_data::{Value as Data, json};
use ordain_driver::puppet::shared::{NodeRequest, SharedEnvironment};
use ordain_driver::{CollectingReporter, Options};
use ordain_fleet_store::terminus::{self, Context};
use ordain_fleet_store::{Command, Sqlite, apply_all, parse_time};
use ordain_graph::puppet_catalog::{self, Envelope};
use serde_json::{Value as Json, json};

/// The place of the code on the server.
const CODE: &str = "/etc/puppetlabs/code/environments/production";
const NTP: &str = "/etc/puppetlabs/code/environments/production/modules/ntp/manifests/init.pp";
const WEB: &str = "/etc/puppetlabs/code/environments/production/modules/web/manifests/init.pp";
const DB: &str = "/etc/puppetlabs/code/environments/production/modules/db/manifests/init.pp";

/// Fills a state directory.
pub(crate) fn fill(state: &Path) {
    fs::create_dir_all(state.join("nodes")).unwrap();
    let database = Sqlite::open(&state.join("nodes/nodes.sqlite"), 1, Vec::new()).unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fleet");
    let example = example.canonicalize().unwrap();
    let environment =
        SharedEnvironment::open(&mut CollectingReporter::default(), &example, &Options::default());
    let environment = environment.unwrap();
    let mut commands = Vec::new();
    for entry in fs::read_dir(example.join("facts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut add = |command: &str, version: i64, payload: Json| {
            commands.push(Command::from_json(command, version, payload, time("13:00")).unwrap());
        };
        let trusted = json!({ "authenticated": "remote", "certname": name, "extensions": {} });
        let context = context(&name, "11:55");
        let facts = serde_json::from_str(&text).unwrap();
        add("replace_facts", 5, terminus::replace_facts(facts, trusted.clone(), &context));
        let request = NodeRequest {
            name: name.clone(),
            facts: json::read(&text).unwrap(),
            trusted: json::read(&trusted.to_string()).unwrap(),
            ..NodeRequest::default()
        };
        let catalog = catalog(&environment, request, &example);
        let catalog =
            terminus::replace_catalog(catalog, Vec::new(), &context, &terminus::naming).unwrap();
        add("replace_catalog", 9, catalog);
        for report in reports(&name) {
            let time = report["time"].as_str().unwrap()[11..16].to_owned();
            let context = self::context(&name, &time);
            add("store_report", 8, terminus::store_report(&report, false, &context).unwrap());
        }
    }
    let received: Vec<(Command, i64)> =
        commands.into_iter().map(|command| (command, time("13:00"))).collect();
    let outcomes = apply_all(&database, &received).unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

/// The catalog of a node, with the paths of a server.
fn catalog(environment: &SharedEnvironment, request: NodeRequest, example: &Path) -> Json {
    let compiled = environment.compile(request);
    let graph = compiled.graph.unwrap();
    let envelope = Envelope {
        version: Data::Int(1_795_694_100),
        code_id: Some("a40d2d6dfc19".to_owned()),
        uuid: "6a4b0c9e-24a5-4f38-9d0c-6d1c9a1f5d11".to_owned(),
    };
    let mut text = Vec::new();
    puppet_catalog::write(&graph, environment.sources(), &envelope, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap().replace(example.to_str().unwrap(), CODE);
    serde_json::from_str(&text).unwrap()
}

fn context<'a>(certname: &'a str, clock: &str) -> Context<'a> {
    Context {
        certname,
        environment: "production",
        producer_timestamp: time(clock),
        producer: "puppet.example.org",
        transaction_uuid: None,
        job_id: None,
    }
}

/// A time of the day of the reports in microseconds.
fn time(clock: &str) -> i64 {
    parse_time(&format!("2026-11-26T{clock}:00Z")).unwrap()
}

/// The reports of a node, the oldest first.
fn reports(name: &str) -> Vec<Json> {
    let mut reports = vec![report(name, "12:00", "unchanged", &[])];
    let conf = Change {
        resource: ("File", "/etc/nginx/nginx.conf"),
        place: (WEB, 4),
        property: "content",
        values: ("{sha256}0000000000000000", "{sha256}1111111111111111"),
        status: "success",
        class: "Web",
    };
    let noop = Change { status: "noop", ..conf };
    match name {
        "web001.example.org" => {
            reports.push(report(name, "12:30", "changed", &[conf]));
            let service = Change {
                resource: ("Service", "nginx"),
                place: (WEB, 13),
                property: "ensure",
                values: ("stopped", "running"),
                ..conf
            };
            reports.push(report(name, "12:40", "changed", &[service]));
            reports.push(report(name, "12:50", "changed", &[conf]));
        }
        "web002.example.org" => {
            reports.push(report(name, "12:30", "unchanged", &[noop]));
            reports.push(report(name, "12:50", "unchanged", &[noop]));
        }
        "db003.example.org" => {
            let service = Change {
                resource: ("Service", "postgresql"),
                place: (DB, 9),
                property: "ensure",
                values: ("stopped", "running"),
                status: "failure",
                class: "Db",
            };
            reports.push(report(name, "12:30", "failed", &[service]));
        }
        "cache004.example.org" => {
            let chrony = Change {
                resource: ("File", "/etc/chrony/chrony.conf"),
                place: (NTP, 4),
                class: "Ntp",
                ..noop
            };
            reports.push(report(name, "12:30", "unchanged", &[chrony]));
            // The next run found nothing.
            reports.push(report(name, "12:50", "unchanged", &[]));
        }
        _ => {}
    }
    reports
}

/// An event of a report.
#[derive(Clone, Copy)]
struct Change {
    resource: (&'static str, &'static str),
    place: (&'static str, u32),
    property: &'static str,
    /// The values before and after.
    values: (&'static str, &'static str),
    status: &'static str,
    class: &'static str,
}

/// A report in the form of Puppet's agents. Successful changes are corrective.
fn report(name: &str, clock: &str, status: &str, changes: &[Change]) -> Json {
    let time = format!("2026-11-26T{clock}:00.000000000+00:00");
    let is_noop = changes.iter().any(|change| change.status == "noop");
    let is_corrective = status == "changed";
    let status_of = |change: &Change| {
        let (kind, title) = change.resource;
        let message = match change.status {
            "failure" => format!(
                "change from '{}' to '{}' failed: the unit has exited",
                change.values.0, change.values.1
            ),
            _ => format!(
                "{} changed '{}' to '{}'",
                change.property, change.values.0, change.values.1
            ),
        };
        let event = json!({
            "property": change.property, "previous_value": change.values.0,
            "desired_value": change.values.1, "message": message, "status": change.status,
            "time": time, "name": format!("{}_changed", change.property),
            "corrective_change": is_corrective,
        });
        let status = json!({
            "title": title, "resource_type": kind, "file": change.place.0, "line": change.place.1,
            "containment_path": ["Stage[main]", change.class, format!("{kind}[{title}]")],
            "time": time, "skipped": false, "corrective_change": is_corrective, "events": [event],
        });
        (format!("{kind}[{title}]"), status)
    };
    let log = json!({
        "level": "err", "message": "the unit postgresql.service has exited", "file": null,
        "line": null, "source": "Puppet", "tags": ["err"], "time": time,
    });
    let logs = if status == "failed" { vec![log] } else { Vec::new() };
    json!({
        "host": name, "time": time, "configuration_version": "1795694100",
        "report_format": 12, "puppet_version": "7.23.0", "status": status, "noop": is_noop,
        "noop_pending": is_noop, "environment": "production", "logs": logs,
        "metrics": { "time": { "name": "time", "label": "Time", "values": [["total", "Total", 4.5]] } },
        "resource_statuses": changes.iter().map(status_of).collect::<serde_json::Map<_, _>>(),
        "corrective_change": is_corrective, "code_id": "a40d2d6dfc19",
    })
}
