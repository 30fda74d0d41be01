//! Earlier catalogs: they come back as they were, unchanged ones cost nothing, old ones are deleted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ordain_fleet_store::{
    CatalogContent, Command, Connection, Database, Dialect, FleetStoreError, GcStats, Outcome,
    Retention, RowFunction, StoredCatalog, TransactionBody, Value, apply, catalog_content,
    catalog_of_run, collect_garbage, format_time, read, stored_catalogs, write,
};
use serde_json::{Value as Json, json};

use crate::databases::with_each;

const NOW: i64 = 1_795_694_400_000_000;
const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * 60 * MINUTE;
const NODE: &str = "web.example.com";

/// A resource `File[/NAME]`, with a value of a parameter and a tag.
fn file(name: &str, value: &str, tag: &str) -> Json {
    json!({
        "type": "File", "title": format!("/{name}"), "exported": false, "file": "/site.pp",
        "line": 7, "tags": ["file", tag], "parameters": { "content": value, "mode": "0644" },
    })
}

/// A catalog of files, each of which the first one contains.
fn catalog(node: &str, time: i64, files: &[Json]) -> Command {
    catalog_with_ids(node, time, files, [None, None])
}

/// Such a catalog with the ids of its transaction and of itself.
fn catalog_with_ids(node: &str, time: i64, files: &[Json], ids: [Option<&str>; 2]) -> Command {
    let end = |file: &Json| json!({ "type": "File", "title": file["title"] });
    let edge = |file: &Json| json!({ "source": end(&files[0]), "target": end(file), "relationship": "contains" });
    let payload = json!({
        "certname": node, "version": format!("{}", time / MINUTE), "environment": "production",
        "code_id": "abc", "transaction_uuid": ids[0], "catalog_uuid": ids[1], "producer": "server",
        "producer_timestamp": format_time(time), "resources": files,
        "edges": files.iter().skip(1).map(edge).collect::<Vec<_>>(),
    });
    Command::from_json("replace_catalog", 9, payload, time).unwrap()
}

fn content(database: &dyn Database, number: Option<i64>) -> Option<CatalogContent> {
    read(database, None, |c| catalog_content(c, NODE, number)).unwrap()
}

fn stored(database: &dyn Database) -> Vec<StoredCatalog> {
    read(database, None, |c| stored_catalogs(c, NODE)).unwrap()
}

fn count(database: &dyn Database, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    read(database, None, |c| c.value(&sql, &[])).unwrap().unwrap().integer().unwrap()
}

/// The files of a generated catalog. Neighbours share many of them.
fn generated(seed: u64) -> Vec<Json> {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let mut next = |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut files = vec![file("first", "same", "same")];
    for name in 0..40 {
        if next(4) > 0 {
            let (value, tag) = (next(2).to_string(), format!("tag{}", next(2)));
            files.push(file(&format!("{name} \"é\""), &value, &tag));
        }
    }
    files
}

#[test]
fn earlier_catalogs_come_back_as_they_were() {
    with_each(|database| {
        let mut expected = Vec::new();
        for round in 0..30 {
            let time = NOW + i64::from(round) * MINUTE;
            let files = generated(u64::from(round as u32 / 3 * 3));
            let outcome = apply(database, &catalog(NODE, time, &files), time).unwrap();
            assert_eq!(outcome, Outcome::Stored { changed: round % 3 == 0 });
            if round % 3 == 0 {
                expected.push((time, content(database, None).unwrap()));
            }
        }
        let all = stored(database);
        assert_eq!((all.len(), count(database, "catalog_history")), (10, 9));
        for (at, (time, wanted)) in expected.iter().enumerate() {
            let found = &all[9 - at];
            let is_last = at == 9;
            assert_eq!(found.number, (!is_last).then_some(at as i64 + 1));
            assert_eq!(content(database, found.number).as_ref(), Some(wanted));
            assert_eq!(found.resources as usize, wanted.resources.len());
            assert_eq!((found.first_sent, found.last_sent), (Some(*time), time + 2 * MINUTE));
            assert_eq!(found.replaced, (!is_last).then_some(time + 3 * MINUTE));
            assert_eq!(found.version, format!("{}", (time + 2 * MINUTE) / MINUTE));
            assert_eq!(found.environment.as_deref(), Some("production"));
            let of: Vec<_> = all.iter().filter(|one| one.is_of(time + MINUTE)).collect();
            assert_eq!(of, [found]);
        }
        assert!(!all.iter().any(|one| one.is_of(NOW - MINUTE)));
        assert_eq!((content(database, Some(0)), content(database, Some(10))), (None, None));
    });
}

#[test]
fn equal_changes_of_many_nodes_share_one_content() {
    with_each(|database| {
        for (time, value) in [(NOW, "old"), (NOW + MINUTE, "new")] {
            for node in 0..10 {
                let own = file("own", &format!("{node}"), "file");
                let files = [file("first", "same", "same"), own, file("shared", value, "file")];
                let command = catalog(&format!("node{node}.example.com"), time, &files);
                apply(database, &command, time).unwrap();
            }
        }
        assert_eq!((count(database, "catalog_history"), count(database, "contents")), (10, 1));
    });
}

#[test]
fn old_catalogs_are_deleted_by_number_and_age() {
    with_each(|database| {
        for round in 0..8 {
            let time = NOW + round * DAY;
            let files = [file("first", "same", "same"), file("a", &round.to_string(), "file")];
            apply(database, &catalog(NODE, time, &files), time).unwrap();
        }
        let numbers = || stored(database).iter().filter_map(|one| one.number).collect::<Vec<_>>();
        let collect = |catalogs: Option<i64>, most: Option<u32>, now: i64| -> GcStats {
            let retention = Retention {
                reports: None,
                node_expiry: None,
                node_purge: None,
                catalogs,
                catalogs_per_node: most,
            };
            collect_garbage(database, &retention, now, Duration::from_secs(60)).unwrap()
        };
        let second = content(database, Some(5)).unwrap();
        let now = NOW + 7 * DAY;
        assert_eq!((collect(None, Some(7), now).catalogs, numbers().len()), (0, 7));
        assert_eq!((collect(None, Some(5), now).catalogs, numbers()), (2, vec![7, 6, 5, 4, 3]));
        // The catalogs that were replaced on the fourth day and before.
        assert_eq!((collect(Some(3 * DAY), None, now + 1).catalogs, numbers()), (2, vec![7, 6, 5]));
        assert_eq!(content(database, Some(5)), Some(second));
        assert_eq!(content(database, Some(4)), None);
        assert_eq!((collect(None, Some(0), now).catalogs, numbers()), (3, vec![]));
        collect(None, None, i64::MAX);
        assert_eq!(count(database, "contents"), 0);
        assert_eq!(count(database, "environments"), 1);
        // Numbers are not used again.
        let command = catalog(NODE, now + DAY, &[file("first", "same", "same")]);
        apply(database, &command, now + DAY).unwrap();
        assert_eq!(numbers(), [8]);
    });
}

/// A run with its start, its end, the time at which its report arrives, and its ids.
struct Run<'a> {
    times: [i64; 3],
    ids: [Option<&'a str>; 2],
    version: &'a str,
}

/// Stores the report of a run and finds its catalog: the time at which that was sent first, and
/// whether it has an id of the run.
fn catalog_of(database: &dyn Database, run: &Run<'_>) -> Option<(Option<i64>, bool)> {
    let [start, end, sent] = run.times;
    let payload = json!({
        "certname": NODE, "environment": "production", "puppet_version": "8.10.0",
        "report_format": 12, "configuration_version": run.version,
        "start_time": format_time(start), "end_time": format_time(end),
        "producer_timestamp": format_time(sent), "producer": "server",
        "transaction_uuid": run.ids[0], "catalog_uuid": run.ids[1], "code_id": null,
        "job_id": null, "cached_catalog_status": "not_used", "noop": false, "noop_pending": false,
        "status": "unchanged", "corrective_change": false, "metrics": [], "logs": [],
        "resources": [],
    });
    let command = Command::from_json("store_report", 8, payload, sent).unwrap();
    apply(database, &command, sent).unwrap();
    let last = "SELECT max(id) FROM reports";
    let id = read(database, None, |c| c.value(last, &[])).unwrap().unwrap().integer().unwrap();
    let found = read(database, None, |c| catalog_of_run(c, id)).unwrap();
    found.map(|found| (found.catalog.first_sent, found.has_id_of_run))
}

const TRANSACTION: &str = "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5";
const CATALOG: &str = "0c3c0a4e-9a43-4f4b-bd0b-6f41d7a1a1ac";
const OTHER: &str = "b5f6ba4c-5d0e-4c4e-9d3d-2f1c3a5f6a77";

#[test]
fn the_catalog_of_a_run_is_found_by_its_ids_and_times() {
    with_each(|database| {
        // Two catalogs, each sent twice.
        for (round, value) in [(0, "old"), (30, "old"), (60, "new"), (90, "new")] {
            let time = NOW + round * MINUTE;
            let ids = [Some(TRANSACTION), Some(CATALOG)].map(|id| id.filter(|_| round == 90));
            let files = [file("first", "same", "same"), file("a", value, "file")];
            apply(database, &catalog_with_ids(NODE, time, &files, ids), time).unwrap();
        }
        let (old, new) = (Some((Some(NOW), false)), Some((Some(NOW + 60 * MINUTE), false)));
        let exact = new.map(|(time, _)| (time, true));
        let other = [Some(OTHER), Some(OTHER)];
        for (minutes, ids, expected) in [
            ([-9, -5, -5], other, None),
            // A run begins before its catalog is sent.
            ([-1, 4, 4], [None, None], old),
            ([30, 35, 35], other, old),
            ([59, 64, 64], other, new),
            ([60, 60, 60], other, new),
            ([91, 95, 95], [Some(OTHER), None], new),
            ([89, 95, 95], [Some(TRANSACTION), None], exact),
            // A cached catalog has a transaction of its own.
            ([189, 195, 195], [Some(OTHER), Some(CATALOG)], exact),
            // The clock of the node is behind or ahead.
            ([-60, -55, 95], [Some(TRANSACTION), Some(CATALOG)], exact),
            ([65, 75, 35], other, old),
            // The report waited for the server.
            ([35, 40, 150], other, old),
        ] {
            let times = minutes.map(|minute: i64| NOW + minute * MINUTE);
            let run = Run { times, ids, version: "1" };
            assert_eq!(catalog_of(database, &run), expected, "{minutes:?} {ids:?}");
        }
        assert_eq!(read(database, None, |c| catalog_of_run(c, -1)).unwrap(), None);
    });
}

#[test]
fn a_catalog_from_before_the_history_is_that_of_runs_with_its_version() {
    with_each(|database| {
        let files = [file("first", "same", "same")];
        apply(database, &catalog(NODE, NOW, &files), NOW).unwrap();
        let sql = "UPDATE catalogs SET first_sent = NULL";
        write(database, |c| c.execute(sql, &[])).unwrap();
        let version = (NOW / MINUTE).to_string();
        let at = |minute: i64, version: &str| {
            let times = [NOW + minute * MINUTE; 3];
            catalog_of(database, &Run { times, ids: [None, None], version })
        };
        assert_eq!(at(-5, "1"), None);
        assert_eq!(at(-5, &version), Some((None, false)));
        assert_eq!(at(5, "1"), Some((None, false)));
    });
}

/// Counts the statements of transactions.
#[derive(Debug)]
struct Counting<'a> {
    database: &'a dyn Database,
    statements: AtomicUsize,
}

struct CountingConnection<'a> {
    connection: &'a mut dyn Connection,
    statements: &'a AtomicUsize,
}

impl Connection for CountingConnection<'_> {
    fn dialect(&self) -> Dialect {
        self.connection.dialect()
    }

    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, FleetStoreError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.connection.execute(sql, parameters)
    }

    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value],
        row: &mut RowFunction<'_>,
    ) -> Result<(), FleetStoreError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.connection.each(sql, parameters, row)
    }

    fn batch(&mut self, sql: &str) -> Result<(), FleetStoreError> {
        self.connection.batch(sql)
    }
}

impl Database for Counting<'_> {
    fn dialect(&self) -> Dialect {
        self.database.dialect()
    }

    fn read(
        &self,
        limit: Option<Duration>,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError> {
        self.database.read(limit, work)
    }

    fn write(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        let statements = &self.statements;
        self.database
            .write(&mut |connection| work(&mut CountingConnection { connection, statements }))
    }
}

#[test]
fn the_history_takes_four_statements_of_a_changed_catalog_and_none_of_another() {
    with_each(|database| {
        let counting = Counting { database, statements: AtomicUsize::new(0) };
        let statements = |time: i64, value: &str| {
            let files = [file("first", "same", "same"), file("a", value, "file")];
            counting.statements.store(0, Ordering::Relaxed);
            apply(&counting, &catalog(NODE, time, &files), time).unwrap();
            counting.statements.load(Ordering::Relaxed)
        };
        statements(NOW, "old");
        // The node, the stored catalog, its new times.
        assert_eq!(statements(NOW + MINUTE, "old"), 3);
        // The history adds four to the statements that replace a resource: they read the earlier
        // resource, look for its content, and insert the rows of the content and of the catalog.
        assert_eq!(statements(NOW + 2 * MINUTE, "new"), 12 + 4);
        assert_eq!(statements(NOW + 3 * MINUTE, "new"), 3);
    });
}
