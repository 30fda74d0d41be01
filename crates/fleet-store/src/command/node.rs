//! `deactivate_node`, `configure_expiration` and `replace_catalog_inputs`.

use serde_json::{Map, Value as Json};
use sha1::{Digest, Sha1};

use super::check::{Object, refuse, text_without_nul, uuid};
use crate::canonical::{Sha1Hash, compare};
use crate::error::FleetStoreError;

/// Deactivates a node that is no longer managed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deactivation {
    /// The node.
    pub certname: String,
    /// Since when, in microseconds since 1970.
    pub producer_timestamp: i64,
}

/// Sets whether a node expires if it stops sending data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expiration {
    /// The node.
    pub certname: String,
    /// Whether its facts expire.
    pub facts: bool,
    /// When that was decided, in microseconds since 1970.
    pub producer_timestamp: i64,
}

/// The lookups during the compile of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogInputs {
    /// The node.
    pub certname: String,
    /// When the catalog was compiled, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// Identifies the catalog.
    pub catalog_uuid: Option<String>,
    /// Pairs of type, such as `hiera`, and name; sorted and distinct.
    pub inputs: Vec<(String, String)>,
}

pub(super) fn read_deactivation(
    mut map: Map<String, Json>,
    received: i64,
) -> Result<Deactivation, FleetStoreError> {
    let mut object = Object::new(&mut map);
    let mut certname = object.string("certname");
    let producer_timestamp = object.optional_time("producer_timestamp").unwrap_or(received);
    refuse("deactivate node", object.problems())?;
    text_without_nul(&mut certname);
    Ok(Deactivation { certname, producer_timestamp })
}

pub(super) fn read_expiration(
    mut map: Map<String, Json>,
    received: i64,
) -> Result<Expiration, FleetStoreError> {
    let mut object = Object::new(&mut map);
    let mut certname = object.string("certname");
    let producer_timestamp = object.optional_time("producer_timestamp").unwrap_or(received);
    let mut expire = object.map("expire");
    let mut inner = Object::new(&mut expire);
    let facts = inner.boolean("facts");
    object.part("expire", inner.problems());
    refuse("configure expiration", object.problems())?;
    text_without_nul(&mut certname);
    Ok(Expiration { certname, facts, producer_timestamp })
}

pub(super) fn read_inputs(
    mut map: Map<String, Json>,
    received: i64,
) -> Result<CatalogInputs, FleetStoreError> {
    let mut object = Object::new(&mut map);
    let mut certname = object.string("certname");
    let producer_timestamp = object.optional_time("producer_timestamp").unwrap_or(received);
    let catalog_uuid = object.optional_string("catalog_uuid");
    let inputs = object.any("inputs");
    refuse("replace catalog inputs", object.known_problems())?;
    let pair = |item: &Json| match item.as_array()?.as_slice() {
        [Json::String(kind), Json::String(name)] => {
            Some((kind.replace('\0', "\u{fffd}"), name.replace('\0', "\u{fffd}")))
        }
        _ => None,
    };
    let pairs: Option<Vec<_>> =
        inputs.as_array().and_then(|items| items.iter().map(pair).collect());
    let Some(mut inputs) = pairs else {
        return Err(FleetStoreError::refused("the inputs are no array of pairs of type and name"));
    };
    inputs.sort_by(|a, b| compare(&a.0, &b.0).then_with(|| compare(&a.1, &b.1)));
    inputs.dedup();
    text_without_nul(&mut certname);
    Ok(CatalogInputs { certname, producer_timestamp, catalog_uuid: uuid(catalog_uuid)?, inputs })
}

impl CatalogInputs {
    /// Hashes node and inputs (`catalog-inputs-hash`).
    pub(crate) fn hash(&self) -> Sha1Hash {
        let mut hash = Sha1::new();
        let pairs = self.inputs.iter().flat_map(|(kind, name)| [kind, name]);
        for text in std::iter::once(&self.certname).chain(pairs) {
            hash.update(text.as_bytes());
            hash.update([0]);
        }
        hash.finalize().into()
    }
}
