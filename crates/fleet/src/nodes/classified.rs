//! The answers of a node classifier.

use std::path::Path;

use ecow::EcoString;
use ordain_data::{Value as Data, json};

use super::NodeFacts;
use crate::error::FleetError;

/// Reads node data: an object with `parameters`, `classes` (names, or parameters by name), `trusted`
/// and `environment`.
pub(super) fn read(path: &Path, bytes: &[u8], node: &mut NodeFacts) -> Result<(), FleetError> {
    let data = json::read_bytes(bytes).map_err(|e| FleetError::document(path, e))?;
    let Some(map) = data.as_map() else {
        return Err(FleetError::document(path, format!("{} is no object", data.kind())));
    };
    for (key, value) in map {
        match key.as_str().unwrap_or_default() {
            "environment" => node.environment = value.as_str().map(ToOwned::to_owned),
            "parameters" => node.parameters = entries(value),
            "classes" => node.classes = entries(value),
            "trusted" => node.trusted = value.clone(),
            other => {
                return Err(FleetError::document(path, format!("`{other}` has no meaning here")));
            }
        }
    }
    Ok(())
}

/// The entries of a map, or the names of a list without values.
fn entries(data: &Data) -> Vec<(EcoString, Data)> {
    if let Some(names) = data.as_list() {
        let names = names.iter().filter_map(Data::as_str);
        return names.map(|name| (name.into(), Data::Null)).collect();
    }
    let entries = data.as_map().into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.as_str()?.into(), value.clone()))).collect()
}
