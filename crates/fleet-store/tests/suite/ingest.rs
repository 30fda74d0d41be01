//! The cost of commands, and concurrent commands.

use std::time::Duration;

use ordain_fleet_store::{
    Command, Connection, Database, FleetStoreError, Outcome, Postgres, Retention, Sqlite, Value,
    apply, apply_all, collect_garbage, exported_resources, facts_of, format_time, read,
};
use serde_json::{Value as Json, json};

use crate::databases::{with_each, with_postgres};

const NOW: i64 = 1_795_694_400_000_000;
const MINUTE: i64 = 60_000_000;

fn facts(certname: &str, time: i64, values: &Json) -> Command {
    let payload = json!({
        "certname": certname, "environment": "production", "producer": "server",
        "producer_timestamp": format_time(time), "values": values,
    });
    Command::from_json("replace_facts", 5, payload, time).unwrap()
}

fn catalog(certname: &str, time: i64, count: usize) -> Command {
    let resource = |i: usize| {
        json!({
            "type": "File", "title": format!("/srv/{i}"), "exported": false, "file": "/site.pp",
            "line": i, "tags": ["file", "class", "role", format!("part{}", i % 10)],
            "parameters": { "ensure": "file", "mode": "0644", "content": "x".repeat(200) },
        })
    };
    let edge = |i: usize| {
        json!({
            "source": { "type": "File", "title": "/srv/0" },
            "target": { "type": "File", "title": format!("/srv/{i}") },
            "relationship": "contains",
        })
    };
    let payload = json!({
        "certname": certname, "version": "1", "environment": "production", "code_id": null,
        "transaction_uuid": null, "catalog_uuid": null, "producer": "server",
        "producer_timestamp": format_time(time),
        "resources": (0..count).map(resource).collect::<Vec<_>>(),
        "edges": (1..count).map(edge).collect::<Vec<_>>(),
    });
    Command::from_json("replace_catalog", 9, payload, time).unwrap()
}

fn report(certname: &str, time: i64) -> Command {
    let payload = json!({
        "certname": certname, "environment": "production", "puppet_version": "8.0.0",
        "report_format": 12, "configuration_version": "1", "start_time": format_time(time),
        "end_time": format_time(time), "producer_timestamp": format_time(time),
        "producer": "server", "resources": [], "metrics": [], "logs": [],
        "transaction_uuid": null, "catalog_uuid": null, "code_id": null,
        "cached_catalog_status": null, "status": "unchanged", "noop": false,
        "noop_pending": false, "corrective_change": false,
    });
    Command::from_json("store_report", 8, payload, time).unwrap()
}

fn count(database: &dyn Database, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    read(database, None, |c| c.value(&sql, &[])).unwrap().unwrap().integer().unwrap()
}

#[test]
fn equal_catalogs_of_many_nodes_share_their_resources() {
    with_each(|database| {
        for node in 0..20 {
            let command = catalog(&format!("node{node}.example.com"), NOW, 50);
            assert_eq!(apply(database, &command, NOW).unwrap(), Outcome::Stored { changed: true });
        }
        assert_eq!(count(database, "catalog_resources"), 1000);
        assert_eq!(count(database, "resources"), 50);
        assert_eq!(count(database, "edges"), 49);
        assert_eq!(count(database, "tag_sets"), 10);
    });
}

#[test]
fn commands_in_one_transaction_fail_alone() {
    with_each(|database| {
        let values = json!({ "kernel": "Linux" });
        let mut commands = vec![
            (catalog("b.example.com", NOW, 3), NOW),
            (facts("a.example.com", NOW, &values), NOW),
            (facts("b.example.com", NOW - MINUTE, &values), NOW),
            (facts("a.example.com", NOW - MINUTE, &values), NOW),
            (report("a.example.com", NOW), NOW),
            (report("a.example.com", NOW), NOW),
        ];
        let outcomes: Vec<Outcome> =
            apply_all(database, &commands).unwrap().into_iter().map(Result::unwrap).collect();
        let changed = Outcome::Stored { changed: true };
        let expected = [
            changed.clone(),
            changed.clone(),
            changed.clone(),
            Outcome::Stale,
            changed,
            Outcome::Duplicate,
        ];
        assert_eq!(outcomes, expected);
        // A value that no column accepts.
        let Command::StoreReport(report) = &mut commands[4].0 else { panic!() };
        report.hash = [7; 20];
        report.puppet_version = "a\0b".into();
        let commands = [commands[4].clone(), (facts("c.example.com", NOW, &values), NOW)];
        let outcomes = apply_all(database, &commands).unwrap();
        assert!(outcomes[1].is_ok(), "{outcomes:?}");
        assert_eq!(count(database, "factsets"), 3);
    });
}

#[test]
fn data_of_a_fast_clock_keeps_nothing_out() {
    with_each(|database| {
        // Commands have milliseconds.
        let now = ordain_fleet_store::now() / 1000 * 1000;
        let of = |round: i64| json!({ "round": round });
        let changed = Outcome::Stored { changed: true };
        let store = |command: Command| apply(database, &command, now).unwrap();
        assert_eq!(store(facts("a.example.com", now + 120 * MINUTE, &of(1))), changed);
        assert_eq!(store(facts("a.example.com", now - MINUTE, &of(2))), changed);
        // This is in the past, so it still is later.
        assert_eq!(store(facts("a.example.com", now - 2 * MINUTE, &of(3))), Outcome::Stale);
        assert_eq!(store(catalog("a.example.com", now + 120 * MINUTE, 3)), changed);
        assert_eq!(store(catalog("a.example.com", now - MINUTE, 4)), changed);
        assert_eq!(store(catalog("a.example.com", now - 2 * MINUTE, 5)), Outcome::Stale);
        store(report("a.example.com", now + 120 * MINUTE));
        store(report("a.example.com", now - MINUTE));
        let sql = "SELECT latest_report_producer_timestamp FROM certnames";
        let latest = read(database, None, |c| c.value(sql, &[])).unwrap().unwrap();
        assert_eq!(latest.integer().unwrap(), now - MINUTE);
    });
}

#[test]
fn a_connection_that_the_database_ended_is_replaced() {
    with_postgres(|address| {
        let [one, other] = [1, 2].map(|limit| Postgres::connect(address, limit).unwrap());
        let number = || read(&one, None, |c| c.value("SELECT 1", &[]));
        number().unwrap();
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let ended = read(&other, None, |c| c.value(end, &[])).unwrap().unwrap();
        assert!(ended.integer().unwrap() > 0);
        number().unwrap();
    });
}

#[test]
fn servers_store_commands_of_the_same_nodes_at_once() {
    with_each(|database| {
        std::thread::scope(|scope| {
            for server in 0..4i64 {
                scope.spawn(move || {
                    for round in 0..6i64 {
                        let time = NOW + round * MINUTE + server;
                        let values = json!({ "round": round, "server": server, "same": [1, 2] });
                        for node in 0..3 {
                            let name = format!("node{node}.example.com");
                            let size = 5 + (round as usize * 3 + server as usize) % 4;
                            apply(database, &facts(&name, time, &values), time).unwrap();
                            apply(database, &catalog(&name, time, size), time).unwrap();
                            apply(database, &report(&name, time), time).unwrap();
                        }
                    }
                });
                scope.spawn(move || {
                    for _ in 0..10 {
                        let budget = Duration::from_secs(10);
                        collect_garbage(database, &Retention::default(), NOW, budget).unwrap();
                    }
                });
            }
        });
        // The latest ones win, whatever the order in which they arrived.
        let sql = "SELECT count(*) FROM factsets f JOIN catalogs k ON k.certname_id = f.certname_id
                       JOIN certnames c ON c.id = f.certname_id
                   WHERE f.producer_timestamp = $1 AND k.producer_timestamp = $1
                       AND c.latest_report_producer_timestamp >= $1";
        // Times have milliseconds on the wire.
        let last = NOW + 5 * MINUTE;
        let nodes = read(database, None, |c| c.value(sql, &[last.into()])).unwrap().unwrap();
        assert_eq!(nodes.integer().unwrap(), 3);
        // The rows of facts belong to the stored factset.
        let sql = "SELECT count(*) FROM facts";
        let leaves = read(database, None, |c| c.value(sql, &[])).unwrap().unwrap();
        assert_eq!(leaves.integer().unwrap(), 3 * 4);
    });
}

#[test]
fn long_queries_are_ended() {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
               SELECT count(*) FROM n";
    with_each(|database| {
        let limit = Some(Duration::from_millis(100));
        let error = read(database, limit, |c| c.rows(sql, &[])).unwrap_err();
        assert!(matches!(error, FleetStoreError::Timeout { .. }), "{error:?}");
        // The connection still works.
        assert_eq!(count(database, "certnames"), 0);
    });
}

#[test]
fn malformed_commands_are_refused_without_a_panic() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let base = json!({
        "certname": "a", "environment": null, "producer": null, "values": {},
        "producer_timestamp": "2026-11-26T12:00:00Z",
    });
    for (name, version) in [
        ("replace_facts", 5),
        ("replace_facts", 4),
        ("replace_catalog", 9),
        ("replace_catalog", 6),
        ("store_report", 8),
        ("store_report", 5),
        ("deactivate_node", 3),
        ("configure_expiration", 1),
        ("replace_catalog_inputs", 1),
    ] {
        for text in ["", "{", "null", "[]", "{}", &deep, r#"{"certname": {"certname": []}}"#] {
            let error = Command::parse(name, version, text.as_bytes(), NOW).unwrap_err();
            assert!(matches!(error, FleetStoreError::Refused { .. }), "{error:?}");
        }
        // Replaces each key of a valid command with each type of value.
        for key in [
            "certname",
            "environment",
            "values",
            "resources",
            "edges",
            "metrics",
            "logs",
            "resource_events",
            "inputs",
            "expire",
            "package_inventory",
            "producer_timestamp",
        ] {
            for value in [
                json!(null),
                json!(1),
                json!("x"),
                json!([]),
                json!([1]),
                json!([[]]),
                json!([{}]),
                json!({}),
                json!({"a": {"b": [null]}}),
                json!(1e308),
                json!(u64::MAX),
            ] {
                let mut command = base.clone();
                command[key] = value;
                let _ = Command::from_json(name, version, command, NOW);
            }
        }
    }
}

#[test]
fn inner_names_have_to_be_those_of_the_sender() {
    let command = facts("a.example.com", NOW, &json!({}));
    assert!(command.check_certname("a.example.com").is_ok());
    for other in
        ["A.example.com", "example.com", "b.a.example.com", "a.example.com.", "a.example.co", ""]
    {
        assert!(command.check_certname(other).is_err(), "{other}");
    }
}

#[test]
fn acknowledged_commands_survive_the_end_of_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fleet.db");
    let database = Sqlite::open(&path, 1, Vec::new()).unwrap();
    apply(&database, &report("a.example.com", NOW), NOW).unwrap();
    // Copies the files while the process runs, as if it were killed now.
    let copy = dir.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(dir.path().join("fleet.db-wal"), dir.path().join("copy.db-wal")).unwrap();
    let copy = Sqlite::open(&copy, 1, Vec::new()).unwrap();
    assert_eq!(count(&copy, "reports"), 1);
}

#[test]
fn compiles_find_facts_and_exported_resources() {
    let host = |title: &str, exported: bool| {
        json!({
            "type": "Host", "title": title, "exported": exported, "file": "/site.pp", "line": 3,
            "tags": ["host"], "parameters": { "ip": "192.0.2.1" },
        })
    };
    with_each(|database| {
        for name in ["b.example.com", "a.example.com", "me.example.com", "gone.example.com"] {
            let payload = json!({
                "certname": name, "version": "1", "environment": "production", "code_id": null,
                "transaction_uuid": null, "catalog_uuid": null, "producer": "server",
                "producer_timestamp": format_time(NOW), "edges": [],
                "resources": [host(&format!("y.{name}"), true), host(&format!("x.{name}"), true),
                    host("own", false)],
            });
            let command = Command::from_json("replace_catalog", 9, payload, NOW).unwrap();
            apply(database, &command, NOW).unwrap();
        }
        let gone = json!({ "certname": "gone.example.com" });
        let gone = Command::from_json("deactivate_node", 3, gone, NOW + MINUTE).unwrap();
        apply(database, &gone, NOW + MINUTE).unwrap();
        let found = read(database, None, |c| exported_resources(c, "Host", "me.example.com"));
        let titles: Vec<String> = found.unwrap().into_iter().map(|row| row.title).collect();
        let expected = ["x.a.example.com", "y.a.example.com", "x.b.example.com", "y.b.example.com"];
        assert_eq!(titles, expected);
        apply(database, &facts("a.example.com", NOW, &json!({ "k": "v" })), NOW).unwrap();
        let found = read(database, None, |c| facts_of(c, "a.example.com")).unwrap().unwrap();
        assert_eq!(serde_json::from_str::<Json>(&found).unwrap(), json!({ "k": "v" }));
        assert_eq!(read(database, None, |c| facts_of(c, "b.example.com")).unwrap(), None);
    });
}

/// Plans that were made for empty tables must not read the whole tables later.
#[test]
fn commands_are_stored_without_scans_of_tables() {
    with_postgres(|address| {
        let database = Postgres::connect(address, 1).unwrap();
        let setting = |connection: &mut dyn Connection| {
            connection.value("SELECT current_setting('enable_seqscan')", &[])
        };
        let mut found = Vec::new();
        let mut note = |c: &mut dyn Connection| {
            found.push(setting(c)?);
            Ok(())
        };
        database.write_by_keys(&mut note).unwrap();
        // The setting ends with the transaction.
        database.write(&mut note).unwrap();
        assert_eq!(found, [Some(Value::from("off")), Some(Value::from("on"))]);
    });
}
