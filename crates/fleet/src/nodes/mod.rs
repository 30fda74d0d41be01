//! The nodes of a fleet with their facts.

mod classified;
mod directory;
mod forms;
mod services;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Map, Value as Data};
use ordain_driver::puppet::shared::NodeRequest;

use crate::change::{Digest, short_digest};
use crate::error::FleetError;

pub use directory::{add_node_data, nodes_of_directory};
pub use services::{nodes_of_puppetdb, nodes_of_store};
pub(crate) use wire::{WireData, WireNode};

/// A node with its facts. They are parsed when they are needed, since a node whose inputs are
/// untouched needs none.
#[derive(Clone, Debug)]
pub struct FleetNode {
    /// Its name.
    pub name: String,
    facts: Facts,
    /// The answer of a node classifier, as JSON, with the path for messages.
    data: Option<(PathBuf, Arc<[u8]>)>,
}

/// Facts of a node.
#[derive(Clone, Debug)]
enum Facts {
    /// The text of a file.
    Text(PathBuf, Arc<[u8]>),
    /// A map, and `$trusted` if the source knows it.
    Parsed(Data, Option<Data>),
    /// The database of the server has them; workers read them there.
    Stored,
}

/// The facts and the classification of a node, parsed.
#[derive(Clone, Debug, Default)]
pub struct NodeFacts {
    /// The facts, a map.
    pub facts: Data,
    /// `$trusted`.
    pub trusted: Data,
    /// The name of the environment, if the classifier gives one.
    pub environment: Option<String>,
    /// Variables at the top.
    pub parameters: Vec<(EcoString, Data)>,
    /// Classes with their parameters.
    pub classes: Vec<(EcoString, Data)>,
}

impl FleetNode {
    /// A node whose facts were read already. Without `trusted`, `$trusted` is made of its name.
    pub fn new(name: &str, facts: Data, trusted: Option<Data>) -> Self {
        Self { name: name.to_lowercase(), facts: Facts::Parsed(facts, trusted), data: None }
    }

    /// The node with the answer of a node classifier, a JSON object as [`add_node_data`] reads it.
    /// `source` names the classifier in errors.
    pub fn with_answer(self, source: &str, answer: &[u8]) -> Self {
        Self { data: Some((source.into(), answer.into())), ..self }
    }

    /// A node whose facts the workers of a comparison read from the database that has their queue.
    pub fn stored(name: &str) -> Self {
        Self { name: name.to_owned(), facts: Facts::Stored, data: None }
    }

    /// A digest of everything that is known about the node.
    pub(crate) fn digest(&self) -> Digest {
        let mut text = match &self.facts {
            Facts::Text(_, bytes) => short_digest(bytes).to_vec(),
            Facts::Parsed(facts, trusted) => {
                let compact = ordain_data::json::compact;
                let trusted = trusted.as_ref().map(compact).unwrap_or_default();
                format!("{}\n{trusted}", compact(facts)).into_bytes()
            }
            Facts::Stored => Vec::new(),
        };
        if let Some((_, data)) = &self.data {
            text.extend(short_digest(data));
        }
        short_digest(&text)
    }

    /// Parses the facts and the classification.
    ///
    /// # Errors
    /// When they have another form.
    pub fn parse(&self) -> Result<NodeFacts, FleetError> {
        let (facts, trusted) = match &self.facts {
            Facts::Text(path, bytes) => forms::single(path, bytes)?,
            Facts::Parsed(facts, trusted) => (facts.clone(), trusted.clone()),
            Facts::Stored => return Err(FleetError::NoFacts(self.name.clone())),
        };
        // PuppetDB keeps `$trusted` as a fact.
        let trusted = trusted.or_else(|| facts.get("trusted").cloned());
        let trusted = trusted.filter(|trusted| trusted.as_map().is_some());
        let mut known = NodeFacts {
            trusted: trusted.unwrap_or_else(|| trusted_of(&self.name)),
            facts,
            ..NodeFacts::default()
        };
        if let Some((path, bytes)) = &self.data {
            let data = classified::read(path, bytes)?;
            known.environment = data.environment;
            known.parameters = data.parameters;
            known.classes = data.classes;
            known.trusted = data.trusted.unwrap_or(known.trusted);
        }
        Ok(known)
    }
}

impl NodeFacts {
    /// The request of a compile.
    pub(crate) fn request(&self, name: &str, environment: &str) -> NodeRequest {
        let environment = self.environment.as_deref().unwrap_or(environment);
        let server = [
            ("serverversion", Data::str(SERVER_VERSION)),
            ("servername", Data::str(name)),
            ("environment", Data::str(environment)),
        ];
        NodeRequest {
            name: name.to_owned(),
            facts: self.facts.clone(),
            trusted: self.trusted.clone(),
            server_facts: Data::map(server),
            parameters: self.parameters.clone(),
            classes: self.classes.clone(),
            ..NodeRequest::default()
        }
    }
}

/// The version of Puppet's server in `$server_facts`, as `ordain serve` has it.
const SERVER_VERSION: &str = "7.23.0";

/// `$trusted` of a node whose certificate has no extensions.
fn trusted_of(name: &str) -> Data {
    let (host, domain) = match name.split_once('.') {
        Some((host, domain)) => (host, Data::str(domain)),
        None => (name, Data::Null),
    };
    Data::map([
        ("authenticated", Data::str("remote")),
        ("certname", Data::str(name)),
        ("extensions", Data::Map(Arc::new(Map::default()))),
        ("hostname", Data::str(host)),
        ("domain", domain),
        ("external", Data::Map(Arc::new(Map::default()))),
    ])
}
