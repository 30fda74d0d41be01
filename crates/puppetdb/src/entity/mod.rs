//! The entities that queries can name: their fields and the tables that hold them.

mod catalogs;
mod facts;
mod model;
mod nodes;
mod reports;

use crate::error::QueryError;

pub(crate) use facts::LEAF_VALUE;
pub(crate) use model::{Column, Entity, Field, Stored, Type};

/// All entities.
const ENTITIES: &[&Entity] = &[
    &nodes::NODES,
    &nodes::NODES_WITH_EXPIRATION,
    &nodes::ENVIRONMENTS,
    &nodes::PRODUCERS,
    &nodes::PACKAGES,
    &nodes::PACKAGE_INVENTORY,
    &facts::INVENTORY,
    &facts::FACTS,
    &facts::FACT_CONTENTS,
    &facts::FACT_PATHS,
    &facts::FACT_NAMES,
    &facts::FACTSETS,
    &facts::FACTSETS_WITH_PACKAGES,
    &catalogs::CATALOGS,
    &catalogs::CATALOG_INPUTS,
    &catalogs::CATALOG_INPUT_CONTENTS,
    &catalogs::RESOURCES,
    &catalogs::EDGES,
    &reports::REPORTS,
    &reports::REPORT_METRICS,
    &reports::REPORT_LOGS,
    &reports::EVENTS,
];

/// Entities for internal use.
const INTERNAL: &[&str] = &[
    "nodes_with_fact_expiration",
    "factsets_with_packages",
    "fact_names",
    "report_metrics",
    "report_logs",
];

/// The entity with a name; the name uses underscores.
pub(crate) fn entity(name: &str) -> Option<&'static Entity> {
    ENTITIES.iter().find(|entity| entity.name == name).copied()
}

/// The entity for a subquery; some entities can only be used in URLs.
pub(crate) fn subquery_entity(name: &str) -> Result<&'static Entity, QueryError> {
    match entity(&name.replace('-', "_")) {
        Some(entity) if !INTERNAL.contains(&entity.name) => Ok(entity),
        _ => Err(QueryError::bad_request(format!("Invalid entity '{name}' in query"))),
    }
}
