//! Unreferenced shared rows.

use crate::database::{Connection, Database, write};
use crate::error::FleetStoreError;
use crate::time::DAY;
use crate::value::Value;

/// A table that is checked from its first row to its last.
pub(super) struct Sweep {
    table: &'static str,
    /// Its primary key.
    key: &'static str,
    /// Columns that may refer to a row: table and column.
    references: &'static [(&'static str, &'static str)],
    /// Columns whose rows are deleted with it: table and column.
    parts: &'static [(&'static str, &'static str)],
    /// Whether only rows that were stored more than a day ago are deleted.
    by_age: bool,
}

const fn by_id(table: &'static str, references: &'static [(&'static str, &'static str)]) -> Sweep {
    Sweep { table, key: "id", references, parts: &[], by_age: false }
}

pub(super) const SWEEPS: &[Sweep] = &[
    by_id("resources", &[("catalog_resources", "resource_id")]),
    Sweep {
        parts: &[("tags", "tag_set_id")],
        ..by_id("tag_sets", &[("catalog_resources", "tag_set_id")])
    },
    by_id("edges", &[("catalog_edges", "edge_id")]),
    by_id("fact_paths", &[("facts", "path_id")]),
    by_id("packages", &[("certname_packages", "package_id")]),
    by_id("catalog_inputs", &[("certname_catalog_inputs", "catalog_input_id")]),
    Sweep {
        table: "contents",
        key: "digest",
        references: &[
            ("compile_answers", "content_digest"),
            ("compile_answers", "inputs_digest"),
            ("catalog_history", "content_digest"),
        ],
        parts: &[],
        by_age: true,
    },
];

/// The number of rows that one transaction checks.
const BATCH: usize = 1000;

/// Continues a sweep until the end of the table or the time limit. Returns the number of deleted
/// rows, and whether it reached the end.
pub(super) fn sweep(
    database: &dyn Database,
    sweep: &Sweep,
    now: i64,
    in_time: &dyn Fn() -> bool,
) -> Result<(u64, bool), FleetStoreError> {
    let mut deleted = 0;
    while in_time() {
        let (count, is_done) = write(database, |connection| step(connection, sweep, now))?;
        deleted += count;
        if is_done {
            return Ok((deleted, true));
        }
    }
    Ok((deleted, false))
}

fn step(
    connection: &mut dyn Connection,
    sweep: &Sweep,
    now: i64,
) -> Result<(u64, bool), FleetStoreError> {
    let Sweep { table, key, .. } = sweep;
    let place = "SELECT position FROM sweeps WHERE name = $1";
    let stored = connection.value(place, &[(*table).into()])?;
    let start = match &stored {
        Some(text) => decode(sweep, text.text()?),
        None => decode(sweep, ""),
    };
    let sql = format!(
        "SELECT {key} FROM {table} WHERE {key} > $1 ORDER BY {key} LIMIT 1 OFFSET {}",
        BATCH - 1
    );
    let end = connection.value(&sql, std::slice::from_ref(&start))?;
    let unused: String = sweep
        .references
        .iter()
        .map(|(other, column)| {
            format!(" AND NOT EXISTS (SELECT 1 FROM {other} r WHERE r.{column} = t.{key})")
        })
        .collect();
    let mut condition = format!("t.{key} > $1{unused}");
    let mut parameters = vec![start];
    if let Some(end) = &end {
        condition.push_str(" AND t.");
        condition.push_str(key);
        condition.push_str(" <= $2");
        parameters.push(end.clone());
    }
    if sweep.by_age {
        let next = parameters.len() + 1;
        condition.push_str(&format!(" AND t.stored < ${next}"));
        parameters.push(now.saturating_sub(DAY).into());
    }
    for (part, column) in sweep.parts {
        let sql = format!(
            "DELETE FROM {part} WHERE {column} IN (SELECT t.{key} FROM {table} t WHERE {condition})"
        );
        connection.execute(&sql, &parameters)?;
    }
    let sql = format!(
        "DELETE FROM {table} WHERE {key} IN (SELECT t.{key} FROM {table} t WHERE {condition})"
    );
    let deleted = connection.execute(&sql, &parameters)?;
    let position = end.as_ref().map_or_else(|| Ok(String::new()), encode)?;
    let sql = "INSERT INTO sweeps (name, position) VALUES ($1, $2)
               ON CONFLICT (name) DO UPDATE SET position = excluded.position";
    connection.execute(sql, &[(*table).into(), position.into()])?;
    Ok((deleted, end.is_none()))
}

/// A key as text.
fn encode(key: &Value) -> Result<String, FleetStoreError> {
    match key {
        Value::Integer(id) => Ok(id.to_string()),
        other => Ok(other.bytes()?.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

/// Decodes a key; an empty text gives a key before all others.
fn decode(sweep: &Sweep, text: &str) -> Value {
    if sweep.key == "id" {
        return Value::Integer(text.parse().unwrap_or(0));
    }
    let pairs = text.as_bytes().chunks_exact(2).map_while(|pair| std::str::from_utf8(pair).ok());
    Value::Bytes(pairs.map_while(|pair| u8::from_str_radix(pair, 16).ok()).collect())
}

const UNUSED: &str =
    "NOT EXISTS (SELECT 1 FROM factsets r WHERE r.environment_id = environments.id)
    AND NOT EXISTS (SELECT 1 FROM catalogs r WHERE r.environment_id = environments.id)
    AND NOT EXISTS (SELECT 1 FROM catalog_history r WHERE r.environment_id = environments.id)
    AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.environment_id = environments.id)";

/// Deletes environments that have been unreferenced for a day. A command that names one meanwhile
/// clears the mark.
pub(super) fn environments(database: &dyn Database, now: i64) -> Result<u64, FleetStoreError> {
    write(database, |connection| {
        let sql = format!("DELETE FROM environments WHERE unused_since < $1 AND {UNUSED}");
        let deleted = connection.execute(&sql, &[now.saturating_sub(DAY).into()])?;
        let sql = format!(
            "UPDATE environments SET unused_since = $1 WHERE unused_since IS NULL AND {UNUSED}"
        );
        connection.execute(&sql, &[now.into()])?;
        Ok(deleted)
    })
}
