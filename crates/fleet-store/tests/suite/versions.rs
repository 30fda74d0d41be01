//! Databases that earlier versions of the program wrote are read by this one.
//!
//! `tests/versions/schema-N.sql` is a database of schema N as SQL, `schema-N.txt` its rows as every
//! later schema has to show them. A new schema needs a file of its own, which `ORDAIN_BLESS=1` makes.
//! The files of earlier schemas never change.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ordain_fleet_store::{Database, Sqlite, read};
use rusqlite::Connection;
use serde_json::Value as Json;

use crate::golden;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions")
}

fn open(path: &Path) -> Sqlite {
    Sqlite::open(path, 1, Vec::new()).unwrap()
}

fn schema(database: &dyn Database) -> i64 {
    let sql = "SELECT max(version) FROM schema_version";
    let found = read(database, None, |connection| connection.value(sql, &[])).unwrap();
    found.unwrap().integer().unwrap()
}

/// Fills a database with the rows of the golden commands.
fn fill(database: &dyn Database) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for name in ["facts", "catalogs", "reports", "nodes"] {
        let steps = fs::read_to_string(golden.join(name).join("steps.json")).unwrap();
        let steps: Json = serde_json::from_str(&steps).unwrap();
        for step in steps.as_array().unwrap() {
            golden::run(database, step);
        }
    }
}

/// A database as SQL: its schema, then its rows.
fn to_sql(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let found = statement.query_map([], |row| row.get(0)).unwrap();
        found.map(|text| text.unwrap()).collect()
    };
    let mut out = String::new();
    for statement in texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") {
        writeln!(out, "{statement};").unwrap();
    }
    for table in texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
        let columns = texts(&format!("SELECT name FROM pragma_table_info('{table}')"));
        let quoted: Vec<String> = columns.iter().map(|name| format!("quote({name})")).collect();
        let row = quoted.join(" || ', ' || ");
        for row in texts(&format!("SELECT {row} FROM {table} ORDER BY 1")) {
            writeln!(out, "INSERT INTO {table} VALUES ({row});").unwrap();
        }
    }
    out
}

/// Writes the files of the current schema, unless it has some.
fn bless() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("fleet.db");
    let database = open(&path);
    let name = directory().join(format!("schema-{}.sql", schema(&database)));
    if name.exists() {
        return;
    }
    fill(&database);
    fs::create_dir_all(directory()).unwrap();
    fs::write(name.with_extension("txt"), golden::dump(&database)).unwrap();
    drop(database);
    fs::write(name, to_sql(&path)).unwrap();
}

#[test]
fn databases_of_earlier_versions_are_read() {
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        bless();
    }
    let temporary = tempfile::tempdir().unwrap();
    let current = schema(&open(&temporary.path().join("empty.db")));
    let mut found = Vec::new();
    let entries = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    for sql in entries.filter(|path| path.extension().is_some_and(|e| e == "sql")) {
        let name = sql.file_stem().unwrap().to_str().unwrap().to_owned();
        let path = temporary.path().join(format!("{name}.db"));
        // Tables are in the order of their names, not of their references.
        let text = format!("PRAGMA foreign_keys = OFF; {}", fs::read_to_string(&sql).unwrap());
        Connection::open(&path).unwrap().execute_batch(&text).unwrap();
        let database = open(&path);
        assert_eq!(schema(&database), current, "{name}");
        let expected = fs::read_to_string(sql.with_extension("txt")).unwrap();
        assert_eq!(golden::dump(&database), expected, "{name}");
        found.push(name);
    }
    assert!(
        found.contains(&format!("schema-{current}")),
        "schema {current} has no database in tests/versions; ORDAIN_BLESS=1 makes it"
    );
}
