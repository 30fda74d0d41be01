//! Stores facts.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use crate::command::{FactLeaf, FactValue, Facts, Package};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::ingest::node;
use crate::ingest::outcome::Outcome;
use crate::rows::{self, Shared};
use crate::time::is_later;
use crate::value::Value;

const PATHS: Shared = Shared {
    table: "fact_paths",
    columns: &["hash", "path", "path_array", "name", "depth", "value_type"],
};

/// The columns of a leaf's value.
const COLUMNS: [&str; 6] =
    ["certname_id", "path_id", "value_string", "value_integer", "value_float", "value_boolean"];

const UPSERT: &str = "ON CONFLICT (certname_id, path_id) DO UPDATE SET
    value_string = excluded.value_string, value_integer = excluded.value_integer,
    value_float = excluded.value_float, value_boolean = excluded.value_boolean";

pub(super) fn replace(
    connection: &mut dyn Connection,
    facts: &Facts,
    (received, now): (i64, i64),
) -> Result<Outcome, FleetStoreError> {
    let time = facts.producer_timestamp;
    let node = node::activate(connection, &facts.certname, (time, received, now))?;
    let sql = "SELECT f.producer_timestamp, f.hash, p.name
               FROM factsets f LEFT JOIN producers p ON p.id = f.producer_id
               WHERE f.certname_id = $1";
    let stored = connection.row(sql, std::slice::from_ref(&node.id))?;
    let (mut is_same, mut same_producer) = (false, false);
    if let Some([stored_time, hash, producer]) = stored.as_deref() {
        if is_later(stored_time.integer()?, time, now) {
            return Ok(Outcome::Stale);
        }
        is_same = *hash == Value::from(facts.hash.as_slice());
        same_producer = *producer == Value::from(facts.producer.clone());
    }
    // The hash covers environment and packages.
    if is_same && same_producer {
        let sql = "UPDATE factsets SET timestamp = $1, producer_timestamp = $2
                   WHERE certname_id = $3";
        connection.execute(sql, &[received.into(), time.into(), node.id.clone()])?;
        let sql = "UPDATE certnames SET facts_timestamp = $1 WHERE id = $2";
        connection.execute(sql, &[received.into(), node.id])?;
        return Ok(Outcome::Stored { changed: false });
    }
    let environment = rows::environment(connection, facts.environment.as_deref())?;
    let producer = rows::producer(connection, facts.producer.as_deref())?;
    let sql = "INSERT INTO factsets (certname_id, environment_id, producer_id, timestamp,
                   producer_timestamp, hash, facts) VALUES ($1, $2, $3, $4, $5, $6, $7)
               ON CONFLICT (certname_id) DO UPDATE SET environment_id = excluded.environment_id,
                   producer_id = excluded.producer_id, timestamp = excluded.timestamp,
                   producer_timestamp = excluded.producer_timestamp, hash = excluded.hash,
                   facts = excluded.facts";
    let parameters = [
        node.id.clone(),
        environment.clone(),
        producer,
        received.into(),
        time.into(),
        facts.hash.as_slice().into(),
        facts.values.as_str().into(),
    ];
    connection.execute(sql, &parameters)?;
    let sql = "UPDATE certnames SET facts_environment_id = $1, facts_timestamp = $2 WHERE id = $3";
    connection.execute(sql, &[environment, received.into(), node.id.clone()])?;
    if !is_same {
        replace_leaves(connection, &node.id, &facts.leaves)?;
        replace_packages(connection, &node.id, facts)?;
    }
    Ok(Outcome::Stored { changed: !is_same })
}

fn columns(value: &FactValue) -> [Value; 4] {
    let mut columns = [Value::Null, Value::Null, Value::Null, Value::Null];
    match value {
        FactValue::String(text) => columns[0] = text.as_str().into(),
        FactValue::Integer(number) => columns[1] = (*number).into(),
        FactValue::Float(number) | FactValue::Large(number) => columns[2] = (*number).into(),
        FactValue::Boolean(flag) => columns[3] = (*flag).into(),
        FactValue::Null => {}
    }
    columns
}

/// Whether a stored value equals a new one. SQLite returns booleans as integers.
fn is_equal(stored: &[Value], wanted: &[Value]) -> bool {
    stored.iter().zip(wanted).all(|(stored, wanted)| match (stored, wanted) {
        (Value::Integer(number), Value::Boolean(flag)) => (*number != 0) == *flag,
        (stored, wanted) => stored == wanted,
    })
}

/// Updates the leaves of a node's facts. Writes only rows that differ.
fn replace_leaves(
    connection: &mut dyn Connection,
    node: &Value,
    leaves: &[FactLeaf],
) -> Result<(), FleetStoreError> {
    let hashes: Vec<[u8; 32]> = leaves.iter().map(FactLeaf::path_hash).collect();
    let by_hash: HashMap<[u8; 32], &FactLeaf> = hashes.iter().copied().zip(leaves).collect();
    let mut known: HashMap<[u8; 32], i64> = HashMap::with_capacity(leaves.len());
    let mut same: HashSet<[u8; 32]> = HashSet::with_capacity(leaves.len());
    let mut gone: Vec<Value> = Vec::new();
    let sql = "SELECT p.hash, f.path_id, f.value_string, f.value_integer, f.value_float,
                   f.value_boolean
               FROM facts f JOIN fact_paths p ON p.id = f.path_id WHERE f.certname_id = $1";
    connection.each(sql, std::slice::from_ref(node), &mut |row| {
        let [hash, id, stored @ ..] = row else {
            return Err(FleetStoreError::failed("six columns expected"));
        };
        let hash: [u8; 32] = hash
            .bytes()?
            .try_into()
            .map_err(|_| FleetStoreError::failed("a hash has a wrong length"))?;
        match by_hash.get(&hash) {
            None => gone.push(id.clone()),
            Some(leaf) => {
                known.insert(hash, id.integer()?);
                if is_equal(stored, &columns(&leaf.value)) {
                    same.insert(hash);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    rows::delete(connection, "facts", ("certname_id", node), "path_id", &gone)?;
    let unknown: Vec<[u8; 32]> =
        by_hash.keys().filter(|hash| !known.contains_key(*hash)).copied().collect();
    let (ids, _) = rows::ensure(connection, &PATHS, &unknown, |hash| {
        // Every hash belongs to a leaf, so the default is never used.
        by_hash.get(hash).map(|leaf| path_row(hash, leaf)).unwrap_or_default()
    })?;
    let mut changed: Vec<(i64, Vec<Value>)> = Vec::new();
    for (hash, leaf) in hashes.iter().zip(leaves) {
        if same.contains(hash) {
            continue;
        }
        let Some(id) = known.get(hash).or_else(|| ids.get(hash.as_slice())) else { continue };
        let mut row = vec![node.clone(), (*id).into()];
        row.extend(columns(&leaf.value));
        changed.push((*id, row));
    }
    changed.sort_by_key(|(id, _)| *id);
    let changed: Vec<Vec<Value>> = changed.into_iter().map(|(_, row)| row).collect();
    rows::insert(connection, "facts", &COLUMNS, &changed, UPSERT)
}

fn path_row(hash: &[u8; 32], leaf: &FactLeaf) -> Vec<Value> {
    vec![
        hash.as_slice().into(),
        leaf.path.as_str().into(),
        leaf.path_array.as_str().into(),
        leaf.name.as_str().into(),
        leaf.depth.into(),
        leaf.value.type_name().into(),
    ]
}

fn replace_packages(
    connection: &mut dyn Connection,
    node: &Value,
    facts: &Facts,
) -> Result<(), FleetStoreError> {
    let hash = Value::from(facts.package_hash().map(|hash| hash.to_vec()));
    let sql = "SELECT package_hash FROM certnames WHERE id = $1";
    if connection.value(sql, std::slice::from_ref(node))? == Some(hash.clone()) {
        return Ok(());
    }
    let packages = facts.packages.as_deref().unwrap_or_default();
    let ids = package_ids(connection, packages)?;
    let mut stored = HashSet::new();
    let sql = "SELECT package_id FROM certname_packages WHERE certname_id = $1";
    for row in connection.rows(sql, std::slice::from_ref(node))? {
        for id in row {
            stored.insert(id.integer()?);
        }
    }
    let mut gone: Vec<i64> = stored.difference(&ids).copied().collect();
    gone.sort_unstable();
    let gone: Vec<Value> = gone.into_iter().map(Value::from).collect();
    let mut new: Vec<i64> = ids.difference(&stored).copied().collect();
    new.sort_unstable();
    let new: Vec<Vec<Value>> = new.into_iter().map(|id| vec![node.clone(), id.into()]).collect();
    rows::delete(connection, "certname_packages", ("certname_id", node), "package_id", &gone)?;
    rows::insert(connection, "certname_packages", &["certname_id", "package_id"], &new, "")?;
    let sql = "UPDATE certnames SET package_hash = $1 WHERE id = $2";
    connection.execute(sql, &[hash, node.clone()]).map(drop)
}

/// The ids of packages. Inserts missing ones.
fn package_ids(
    connection: &mut dyn Connection,
    packages: &[Package],
) -> Result<HashSet<i64>, FleetStoreError> {
    let mut ids = HashSet::with_capacity(packages.len());
    for package in packages {
        let key: Vec<Value> = [&package.name, &package.version, &package.provider]
            .into_iter()
            .map(|text| text.as_str().into())
            .collect();
        let find = "SELECT id FROM packages WHERE name = $1 AND version = $2 AND provider = $3";
        let insert = "INSERT INTO packages (name, version, provider) VALUES ($1, $2, $3)
                      ON CONFLICT (name, version, provider) DO NOTHING RETURNING id";
        let mut id = connection.value(find, &key)?;
        if id.is_none() {
            id = connection.value(insert, &key)?;
        }
        if id.is_none() {
            id = connection.value(find, &key)?;
        }
        let id = id.ok_or_else(|| FleetStoreError::failed("a package disappeared"))?;
        ids.insert(id.integer()?);
    }
    Ok(ids)
}
