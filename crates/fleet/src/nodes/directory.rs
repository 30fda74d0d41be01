//! Nodes whose facts are in files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ordain_data::json;

use super::{Facts, FleetNode, forms};
use crate::error::FleetError;

/// The extensions of files with facts.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// The nodes that have facts in a directory (`NAME.json`, `NAME.yaml`), or in one file: of one node,
/// or a list as PuppetDB writes it. `data` is a directory with the answers of a classifier
/// (`NAME.json`).
///
/// # Errors
/// When a file cannot be read, or there are no nodes.
pub fn nodes_of_directory(facts: &Path, data: Option<&Path>) -> Result<Vec<FleetNode>, FleetError> {
    let mut nodes = BTreeMap::new();
    if facts.is_dir() {
        let failed = |error| FleetError::file(facts, error);
        for entry in fs::read_dir(facts).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if ending.is_some_and(|ending| EXTENSIONS.contains(&ending)) && path.is_file() {
                read_file(&path, &mut nodes)?;
            }
        }
    } else {
        read_file(facts, &mut nodes)?;
    }
    if nodes.is_empty() {
        return Err(FleetError::NoNodes(facts.display().to_string()));
    }
    if let Some(dir) = data {
        for node in nodes.values_mut() {
            let path = dir.join(format!("{}.json", node.name));
            match fs::read(&path) {
                Ok(bytes) => node.data = Some((path, bytes.into())),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(FleetError::file(&path, error)),
            }
        }
    }
    Ok(nodes.into_values().collect())
}

/// Adds the nodes of a file. If several files have facts of a node, the first by name wins.
fn read_file(path: &Path, nodes: &mut BTreeMap<String, FleetNode>) -> Result<(), FleetError> {
    let bytes = fs::read(path).map_err(|error| FleetError::file(path, error))?;
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        let list = json::read_bytes(&bytes).map_err(|error| FleetError::document(path, error))?;
        for (name, facts) in forms::list(path, &list)? {
            let node = FleetNode::new(&name, facts, None);
            nodes.entry(node.name.clone()).or_insert(node);
        }
        return Ok(());
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let facts = Facts::Text(path.to_owned(), Arc::from(bytes));
    let node = FleetNode { name: name.clone(), facts, data: None };
    nodes.entry(name).or_insert(node);
    Ok(())
}
