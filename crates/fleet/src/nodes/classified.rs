//! The answers of a node classifier.

use std::path::Path;

use ecow::EcoString;
use ordain_data::{Value as Data, json};

use crate::error::FleetError;

/// The answer of a classifier.
#[derive(Default)]
pub(super) struct Classified {
    pub(super) environment: Option<String>,
    pub(super) parameters: Vec<(EcoString, Data)>,
    pub(super) classes: Vec<(EcoString, Data)>,
    pub(super) trusted: Option<Data>,
}

/// Reads node data: an object with `parameters`, `classes` (names, or parameters by name), `trusted`
/// and `environment`.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Classified, FleetError> {
    let mut node = Classified::default();
    let data = json::read_bytes(bytes).map_err(|e| FleetError::document(path, e))?;
    let Some(map) = data.as_map() else {
        return Err(FleetError::document(path, format!("{} is no object", data.kind())));
    };
    for (key, value) in map {
        match key.as_str().unwrap_or_default() {
            "environment" => node.environment = value.as_str().map(ToOwned::to_owned),
            "parameters" => node.parameters = entries(value),
            "classes" => node.classes = entries(value),
            "trusted" => node.trusted = Some(value.clone()),
            other => {
                return Err(FleetError::document(path, format!("`{other}` has no meaning here")));
            }
        }
    }
    Ok(node)
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
