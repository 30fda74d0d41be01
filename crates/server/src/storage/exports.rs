//! Exported resources, read from the catalogs in the database.

use std::ops::ControlFlow;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Value as Data, json};
use ordain_fleet_store::{Database, FleetStoreError, Value};
use ordain_graph::ResourceRef;
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::place::Place;

/// The exported resources of all active nodes.
#[derive(Debug)]
pub(super) struct StoredExports {
    database: Arc<dyn Database>,
}

/// As Puppet's terminus asks: exported, of the type, of other nodes that are active.
const QUERY: &str = "SELECT c.certname, r.title, r.parameters, t.tags, r.file, r.line
    FROM resources r
    JOIN catalog_resources cr ON cr.resource_id = r.id
    JOIN certnames c ON c.id = cr.certname_id
    JOIN tag_sets t ON t.id = cr.tag_set_id
    WHERE r.exported AND r.type = $1 AND c.certname <> $2
      AND c.deactivated IS NULL AND c.expired IS NULL
    ORDER BY c.certname, r.title";

impl StoredExports {
    pub(super) fn new(database: Arc<dyn Database>) -> Self {
        Self { database }
    }
}

impl Exports for StoredExports {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let mut found = Vec::new();
        let read = self.database.read(None, &mut |connection| {
            found.clear();
            connection.each(QUERY, &[kind.into(), except.into()], &mut |row| {
                found.push(exported(kind, row)?);
                Ok(ControlFlow::Continue(()))
            })
        });
        read.map_err(|error| error.to_string())?;
        Ok(found)
    }
}

fn exported(kind: &str, row: &[Value]) -> Result<Exported, FleetStoreError> {
    let [node, title, parameters, tags, file, line] = row else {
        return Err(FleetStoreError::Refused { reason: "six columns expected".to_string() });
    };
    let parameters = document(parameters)?;
    let attributes = parameters.as_map().into_iter().flat_map(|map| map.iter());
    let attributes =
        attributes.filter_map(|(key, value)| Some((key.as_str()?.into(), value.clone())));
    let tags = document(tags)?;
    let tags = tags.as_list().unwrap_or_default().iter().filter_map(Data::as_str);
    let line = line.optional(Value::integer)?.and_then(|line| u32::try_from(line).ok());
    let place = file.optional(Value::text)?.map(|file| Place {
        file: file.to_string(),
        line: line.unwrap_or(0),
        column: 0,
    });
    Ok(Exported {
        node: node.text()?.into(),
        id: ResourceRef { kind: kind.into(), title: title.text()?.into() },
        attributes: attributes.collect::<Vec<(EcoString, Data)>>(),
        tags: tags.map(EcoString::from).collect(),
        place,
    })
}

fn document(value: &Value) -> Result<Data, FleetStoreError> {
    json::read(value.text()?)
        .map_err(|error| FleetStoreError::Refused { reason: error.to_string() })
}
