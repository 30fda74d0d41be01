//! Statements over many rows.

use std::collections::HashMap;

use crate::database::Connection;
use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::value::Value;

/// The row counts of a statement. Few different counts mean few prepared statements.
const SIZES: [usize; 4] = [64, 16, 4, 1];

/// Splits a slice into parts of the sizes above, largest first.
fn parts<T>(mut items: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= items.len())?;
        let (part, rest) = items.split_at(size);
        items = rest;
        Some(part)
    })
}

/// `($1, $2), ($3, $4)` and so on, starting at a number.
pub(crate) fn placeholders(rows: usize, columns: usize, first: usize) -> String {
    let mut text = String::new();
    let mut next = first;
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            if column > 0 {
                text.push_str(", ");
            }
            text.push('$');
            text.push_str(&next.to_string());
            next += 1;
        }
        text.push(')');
    }
    text
}

/// `($1, $2, ...)`, starting at a number.
fn list(count: usize, first: usize) -> String {
    placeholders(1, count, first)
}

/// Inserts rows. `suffix` follows the values, such as an `ON CONFLICT` clause.
pub(crate) fn insert(
    connection: &mut dyn Connection,
    table: &str,
    columns: &[&str],
    rows: &[Vec<Value>],
    suffix: &str,
) -> Result<(), FleetStoreError> {
    for part in parts(rows) {
        let sql = insert_sql(table, columns, part.len(), suffix);
        connection.execute(&sql, &part.concat())?;
    }
    Ok(())
}

fn insert_sql(table: &str, columns: &[&str], rows: usize, suffix: &str) -> String {
    let values = placeholders(rows, columns.len(), 1);
    format!("INSERT INTO {table} ({}) VALUES {values} {suffix}", columns.join(", "))
}

/// Deletes rows of one owner by a column.
pub(crate) fn delete(
    connection: &mut dyn Connection,
    table: &str,
    (owner, id): (&str, &Value),
    column: &str,
    values: &[Value],
) -> Result<(), FleetStoreError> {
    for part in parts(values) {
        let list = list(part.len(), 2);
        let sql = format!("DELETE FROM {table} WHERE {owner} = $1 AND {column} IN {list}");
        let mut parameters = vec![id.clone()];
        parameters.extend_from_slice(part);
        connection.execute(&sql, &parameters)?;
    }
    Ok(())
}

/// Passes the rows of a query to a function. `sql` ends before the list of the values of its last
/// condition; `first` has the parameters before these.
pub(crate) fn each_of(
    connection: &mut dyn Connection,
    sql: &str,
    first: &[Value],
    values: &[Value],
    row: &mut dyn FnMut(&[Value]) -> Result<(), FleetStoreError>,
) -> Result<(), FleetStoreError> {
    for part in parts(values) {
        let sql = format!("{sql} {}", list(part.len(), first.len() + 1));
        let parameters = [first, part].concat();
        connection.each(&sql, &parameters, &mut |found| {
            row(found)?;
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
    }
    Ok(())
}

/// A table of shared rows. The first of its columns is `hash`.
pub(crate) struct Shared {
    /// The name of the table.
    pub(crate) table: &'static str,
    /// Its columns except the id.
    pub(crate) columns: &'static [&'static str],
}

/// Ids of rows by hash.
pub(crate) type Ids = HashMap<Vec<u8>, i64>;

/// The ids of rows by hash. Inserts missing rows with the values that `row` returns, the hash
/// first. The second result has the hashes of the new rows.
pub(crate) fn ensure<H: AsRef<[u8]> + Ord + Clone + std::hash::Hash>(
    connection: &mut dyn Connection,
    shared: &Shared,
    hashes: &[H],
    row: impl Fn(&H) -> Vec<Value>,
) -> Result<(Ids, Vec<H>), FleetStoreError> {
    let mut wanted = hashes.to_vec();
    // All transactions insert the same rows in the same order, which prevents deadlocks.
    wanted.sort();
    wanted.dedup();
    let mut ids = HashMap::with_capacity(wanted.len());
    find(connection, shared.table, &wanted, &mut ids)?;
    let missing: Vec<H> =
        wanted.into_iter().filter(|hash| !ids.contains_key(hash.as_ref())).collect();
    for part in parts(&missing) {
        let rows: Vec<Value> = part.iter().flat_map(&row).collect();
        let suffix = "ON CONFLICT (hash) DO NOTHING RETURNING hash, id";
        let sql = insert_sql(shared.table, shared.columns, part.len(), suffix);
        collect(connection, &sql, &rows, &mut ids)?;
    }
    // Another transaction may have inserted some meanwhile.
    let elsewhere: Vec<H> =
        missing.iter().filter(|hash| !ids.contains_key(hash.as_ref())).cloned().collect();
    find(connection, shared.table, &elsewhere, &mut ids)?;
    Ok((ids, missing))
}

fn find<H: AsRef<[u8]>>(
    connection: &mut dyn Connection,
    table: &str,
    hashes: &[H],
    ids: &mut Ids,
) -> Result<(), FleetStoreError> {
    for part in parts(hashes) {
        let sql = format!("SELECT hash, id FROM {table} WHERE hash IN {}", list(part.len(), 1));
        let parameters: Vec<Value> = part.iter().map(|hash| hash.as_ref().into()).collect();
        collect(connection, &sql, &parameters, ids)?;
    }
    Ok(())
}

fn collect(
    connection: &mut dyn Connection,
    sql: &str,
    parameters: &[Value],
    ids: &mut Ids,
) -> Result<(), FleetStoreError> {
    connection.each(sql, parameters, &mut |row| {
        let [hash, id] = row else { return Err(FleetStoreError::failed("two columns expected")) };
        ids.insert(hash.bytes()?.to_vec(), id.integer()?);
        Ok(std::ops::ControlFlow::Continue(()))
    })
}

/// The id of an environment by name. Inserts a missing one, and clears a mark that it is unused.
pub(crate) fn environment(
    connection: &mut dyn Connection,
    name: Option<&str>,
) -> Result<Value, FleetStoreError> {
    let Some(name) = name else { return Ok(Value::Null) };
    let sql = "SELECT id, unused_since FROM environments WHERE environment = $1";
    match connection.row(sql, &[name.into()])?.as_deref() {
        Some([id, Value::Null]) => return Ok(id.clone()),
        Some([id, _]) => {
            let sql = "UPDATE environments SET unused_since = NULL WHERE id = $1";
            if connection.execute(sql, std::slice::from_ref(id))? > 0 {
                return Ok(id.clone());
            }
        }
        _ => {}
    }
    insert_name(connection, "environments", "environment", name)
}

/// The id of a producer by name. Inserts a missing one.
pub(crate) fn producer(
    connection: &mut dyn Connection,
    name: Option<&str>,
) -> Result<Value, FleetStoreError> {
    let Some(name) = name else { return Ok(Value::Null) };
    match connection.value("SELECT id FROM producers WHERE name = $1", &[name.into()])? {
        Some(id) => Ok(id),
        None => insert_name(connection, "producers", "name", name),
    }
}

fn insert_name(
    connection: &mut dyn Connection,
    table: &str,
    column: &str,
    name: &str,
) -> Result<Value, FleetStoreError> {
    let insert = format!(
        "INSERT INTO {table} ({column}) VALUES ($1) ON CONFLICT ({column}) DO NOTHING RETURNING id"
    );
    if let Some(id) = connection.value(&insert, &[name.into()])? {
        return Ok(id);
    }
    let find = format!("SELECT id FROM {table} WHERE {column} = $1");
    let id = connection.value(&find, &[name.into()])?;
    id.ok_or_else(|| FleetStoreError::failed(format!("the row of {name:?} disappeared")))
}

/// Deletes rows by a column.
pub(crate) fn delete_by(
    connection: &mut dyn Connection,
    table: &str,
    column: &str,
    values: &[Value],
) -> Result<(), FleetStoreError> {
    for part in parts(values) {
        let sql = format!("DELETE FROM {table} WHERE {column} IN {}", list(part.len(), 1));
        connection.execute(&sql, part)?;
    }
    Ok(())
}

impl Dialect {
    /// The end of a query that locks its rows for a later change.
    pub(crate) fn lock(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR NO KEY UPDATE",
        }
    }
}
