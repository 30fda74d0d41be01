//! Earlier catalogs: they come back as they were, unchanged ones cost nothing, old ones are deleted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ordain_fleet_store::{
    CatalogContent, Command, Connection, Database, Dialect, FleetStoreError, GcStats, Outcome,
    Retention, RowFunction, StoredCatalog, TransactionBody, Value, apply, catalog_content,
    collect_garbage, format_time, read, stored_catalogs,
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
    let end = |file: &Json| json!({ "type": "File", "title": file["title"] });
    let edge = |file: &Json| json!({ "source": end(&files[0]), "target": end(file), "relationship": "contains" });
    let payload = json!({
        "certname": node, "version": format!("{}", time / MINUTE), "environment": "production",
        "code_id": "abc", "transaction_uuid": null, "catalog_uuid": null, "producer": "server",
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
