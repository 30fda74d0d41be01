//! The commands that PuppetDB's termini send, checked and normalized.

mod catalog;
mod check;
mod facts;
mod node;
mod report;

pub use catalog::{Catalog, Edge, Resource};
pub use facts::{FactLeaf, FactValue, Facts, Package};
pub use node::{CatalogInputs, Deactivation, Expiration};
pub use report::{Event, Report};

use serde_json::Value as Json;

use crate::error::FleetStoreError;

/// A valid command.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `replace_facts`.
    ReplaceFacts(Box<Facts>),
    /// `replace_catalog`.
    ReplaceCatalog(Box<Catalog>),
    /// `store_report`.
    StoreReport(Box<Report>),
    /// `deactivate_node`.
    DeactivateNode(Deactivation),
    /// `configure_expiration`.
    ConfigureExpiration(Expiration),
    /// `replace_catalog_inputs`.
    ReplaceCatalogInputs(CatalogInputs),
}

/// The commands with the versions that PuppetDB accepts over HTTP
/// (`puppetlabs/puppetdb/http/command.clj`).
const COMMANDS: &[(&str, std::ops::RangeInclusive<i64>)] = &[
    ("replace_catalog", 6..=9),
    ("replace_facts", 4..=5),
    ("store_report", 5..=8),
    ("deactivate_node", 3..=3),
    ("configure_expiration", 1..=1),
    ("replace_catalog_inputs", 1..=1),
];

impl Command {
    /// Whether PuppetDB accepts a command in this version. Names may have spaces in place of
    /// underscores.
    pub fn is_supported(name: &str, version: i64) -> bool {
        let name = name.replace(' ', "_");
        COMMANDS.iter().any(|(known, versions)| *known == name && versions.contains(&version))
    }

    /// Parses a command. `received` is when the server received it, in microseconds since 1970.
    ///
    /// # Errors
    /// [`FleetStoreError::Refused`] if the command is unknown or malformed.
    pub fn parse(
        name: &str,
        version: i64,
        payload: &[u8],
        received: i64,
    ) -> Result<Self, FleetStoreError> {
        let payload = serde_json::from_slice(payload)
            .map_err(|e| FleetStoreError::refused(format!("the payload is no JSON: {e}")))?;
        Self::from_json(name, version, payload, received)
    }

    /// Like [`Command::parse`], for JSON that is already parsed.
    ///
    /// # Errors
    /// The same as [`Command::parse`].
    pub fn from_json(
        name: &str,
        version: i64,
        payload: Json,
        received: i64,
    ) -> Result<Self, FleetStoreError> {
        if !Self::is_supported(name, version) {
            let text = format!("Unsupported command {} version {version}", name.replace('_', " "));
            return Err(FleetStoreError::refused(text));
        }
        let Json::Object(map) = payload else {
            return Err(FleetStoreError::refused("the payload is no JSON object"));
        };
        let command = match name.replace(' ', "_").as_str() {
            "replace_catalog" => Self::ReplaceCatalog(Box::new(catalog::read(map, version)?)),
            "replace_facts" => Self::ReplaceFacts(Box::new(facts::read(map, version)?)),
            "store_report" => Self::StoreReport(Box::new(report::read(map, version)?)),
            "deactivate_node" => Self::DeactivateNode(node::read_deactivation(map, received)?),
            "configure_expiration" => {
                Self::ConfigureExpiration(node::read_expiration(map, received)?)
            }
            _ => Self::ReplaceCatalogInputs(node::read_inputs(map, received)?),
        };
        // An index includes the name, and index entries have a size limit.
        if command.certname().is_empty() || command.certname().len() > 1024 {
            return Err(FleetStoreError::refused("the certname is empty or too long"));
        }
        Ok(command)
    }

    /// The node that the command is about.
    pub fn certname(&self) -> &str {
        match self {
            Self::ReplaceFacts(facts) => &facts.certname,
            Self::ReplaceCatalog(catalog) => &catalog.certname,
            Self::StoreReport(report) => &report.certname,
            Self::DeactivateNode(node) => &node.certname,
            Self::ConfigureExpiration(node) => &node.certname,
            Self::ReplaceCatalogInputs(inputs) => &inputs.certname,
        }
    }

    /// Refuses a command about a node that the sender may not write about.
    ///
    /// # Errors
    /// [`FleetStoreError::Refused`] if the names differ in any byte.
    pub fn check_certname(&self, certname: &str) -> Result<(), FleetStoreError> {
        if self.certname() == certname {
            return Ok(());
        }
        let found = self.certname();
        Err(FleetStoreError::refused(format!(
            "the command is about the node {found:?}, its sender is {certname:?}"
        )))
    }
}
