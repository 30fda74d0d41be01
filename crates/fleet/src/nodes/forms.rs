//! The forms in which programs write facts.

use std::path::Path;

use ordain_data::{Map, Value as Data, json};
use ordain_facts::external;

use crate::error::FleetError;

/// The facts of one node, and `$trusted` if the form has it.
type Facts = (Data, Option<Data>);

/// Reads a file with the facts of one node: those of `facter --json`, of Puppet's `facts` directory,
/// of `puppet facts`, or a set of facts of PuppetDB.
pub(super) fn single(path: &Path, bytes: &[u8]) -> Result<Facts, FleetError> {
    let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
    if is_json && let Ok(data) = json::read_bytes(bytes) {
        if let Some(set) = fact_set(&data) {
            return Ok((set.1, None));
        }
        if let Some(own) = named(&data) {
            return Ok((own, None));
        }
        if data.as_map().is_some() {
            return Ok((data, None));
        }
    }
    let read = external::read_named(path, bytes);
    let (_, facts) = read.map_err(|error| FleetError::document(path, error))?;
    Ok((facts, None))
}

/// The values of `puppet facts` and of documents of facts: `{"name", "values"}`.
fn named(data: &Data) -> Option<Data> {
    let is_named = data.get("name").is_some()
        || data.get("timestamp").is_some()
        || data.get("format").and_then(Data::as_str) == Some("ordain-facts");
    data.get("values").filter(|values| is_named && values.as_map().is_some()).cloned()
}

/// Reads a list of PuppetDB: sets of facts (`/factsets`), or single facts (`/facts`). Returns the
/// nodes in the order of their names.
pub(super) fn list(path: &Path, data: &Data) -> Result<Vec<(String, Data)>, FleetError> {
    let wrong = || FleetError::document(path, "it is no list of facts, as PuppetDB writes them");
    let mut nodes: std::collections::BTreeMap<String, Map> = std::collections::BTreeMap::new();
    for item in data.as_list().ok_or_else(wrong)? {
        if let Some((name, facts)) = fact_set(item) {
            let facts = facts.as_map().cloned().unwrap_or_default();
            nodes.entry(name).or_default().extend(facts);
            continue;
        }
        let certname = item.get("certname").and_then(Data::as_str).ok_or_else(wrong)?;
        let name = item.get("name").cloned().ok_or_else(wrong)?;
        let value = item.get("value").cloned().unwrap_or_default();
        nodes.entry(certname.to_owned()).or_default().insert(name, value);
    }
    Ok(nodes.into_iter().map(|(name, facts)| (name, Data::Map(facts.into()))).collect())
}

/// A set of facts: `{"certname", "facts": {"data": [{"name", "value"}]}}`. The list may also be a map.
fn fact_set(data: &Data) -> Option<(String, Data)> {
    let certname = data.get("certname").and_then(Data::as_str)?;
    let facts = data.get("facts")?;
    let facts = facts.get("data").unwrap_or(facts);
    let facts = match facts.as_list() {
        Some(rows) => {
            let row = |row: &Data| Some((row.get("name")?.clone(), row.get("value")?.clone()));
            Data::Map(std::sync::Arc::new(rows.iter().filter_map(row).collect()))
        }
        None => Data::Map(std::sync::Arc::new(facts.as_map()?.clone())),
    };
    Some((certname.to_owned(), facts))
}
