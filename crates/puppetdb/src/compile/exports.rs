//! Exported resources, read from the catalogs in the database.

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Value as Data, json};
use ordain_fleet_store::{Connection, Database, ExportedRow, exported_resources, read};
use ordain_graph::ResourceRef;
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::place::Place;

/// The exported resources of all active nodes.
#[derive(Debug)]
pub struct StoredExports {
    database: Arc<dyn Database>,
}

impl StoredExports {
    /// Those in a database.
    pub fn new(database: Arc<dyn Database>) -> Self {
        Self { database }
    }
}

impl Exports for StoredExports {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let of_kind =
            |connection: &mut dyn Connection| exported_resources(connection, kind, except);
        let rows = read(&*self.database, None, of_kind).map_err(|error| error.to_string())?;
        rows.into_iter().map(|row| exported(kind, row)).collect()
    }
}

fn exported(kind: &str, row: ExportedRow) -> Result<Exported, String> {
    let parameters = document(&row.parameters)?;
    let attributes = parameters.as_map().into_iter().flat_map(|map| map.iter());
    let attributes =
        attributes.filter_map(|(key, value)| Some((key.as_str()?.into(), value.clone())));
    let tags = document(&row.tags)?;
    let tags = tags.as_list().unwrap_or_default().iter().filter_map(Data::as_str);
    let line = row.line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
    Ok(Exported {
        node: row.certname.into(),
        id: ResourceRef { kind: kind.into(), title: row.title.into() },
        attributes: attributes.collect::<Vec<(EcoString, Data)>>(),
        tags: tags.map(EcoString::from).collect(),
        place: row.file.map(|file| Place { file, line, column: 0 }),
    })
}

fn document(text: &str) -> Result<Data, String> {
    json::read(text).map_err(|error| error.to_string())
}
