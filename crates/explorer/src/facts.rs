//! Facts as tables.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::document::{Document, table_document};
use crate::error::ExplorerError;
use crate::request::PageRequest;

/// The leaves of facts whose path or value contains the parameter `q`.
///
/// # Errors
/// When a parameter is wrong.
pub(crate) fn facts_document(
    facts: &Json,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let mut rows = Vec::new();
    leaves(facts, String::new(), &mut rows);
    if let Some(text) = request.parameter("q") {
        let text = text.to_lowercase();
        rows.retain(|row| row.iter().any(|cell| shown(cell).to_lowercase().contains(&text)));
    }
    table_document(&["fact", "value"], rows, request)
}

/// The facts that differ: path, value before, value after. A missing value is null.
pub(crate) fn differing_facts(before: &Json, after: &Json) -> Vec<Vec<Json>> {
    let mut all: BTreeMap<String, [Json; 2]> = BTreeMap::new();
    for (side, facts) in [before, after].into_iter().enumerate() {
        let mut rows = Vec::new();
        leaves(facts, String::new(), &mut rows);
        for row in rows {
            if let [Json::String(path), value] = &row[..] {
                all.entry(path.clone()).or_default()[side] = value.clone();
            }
        }
    }
    let differing = all.into_iter().filter(|(_, [before, after])| before != after);
    differing.map(|(path, [before, after])| vec![json!(path), before, after]).collect()
}

/// The leaves of facts with their paths in order, such as `os.release.full` and `disks[0]`.
fn leaves(value: &Json, path: String, rows: &mut Vec<Vec<Json>>) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            for (key, value) in entries {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(value, path, rows);
            }
        }
        Json::Array(list) if !list.is_empty() => {
            for (number, value) in list.iter().enumerate() {
                leaves(value, format!("{path}[{number}]"), rows);
            }
        }
        leaf if !path.is_empty() => rows.push(vec![json!(path), leaf.clone()]),
        _ => {}
    }
}

/// A value as a text.
fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
