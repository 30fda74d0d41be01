//! The messages between the process that waits for a comparison and its workers, as JSON.

use std::path::PathBuf;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_driver::Options;
use ordain_graph::ResourceRef;
use ordain_graph::exports::Exported;
use ordain_graph::language::Strict;
use ordain_graph::place::Place;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::collect::FoundChange;
use crate::nodes::{WireData, WireNode};
use crate::run::NodeWork;

/// The code of a comparison and the options of its compiles.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Specification {
    /// The version of `ordain`. Others may compile differently.
    pub(super) version: String,
    /// The id of the commit before.
    pub(super) before: String,
    /// The id of the commit after.
    pub(super) after: String,
    /// The root of the work tree of the waiting process. Workers show the commits there, so that paths
    /// in values and messages do not depend on the worker.
    pub(super) root: PathBuf,
    /// The path that is compiled, in `root`.
    pub(super) path: PathBuf,
    pub(super) environment: Option<String>,
    pub(super) modulepath: Option<String>,
    pub(super) hiera: Option<PathBuf>,
    pub(super) strict: WireStrict,
    pub(super) strict_variables: bool,
    pub(super) legacy_facts: bool,
    pub(super) having: Vec<String>,
    pub(super) ignore_tags: Vec<String>,
}

/// The severity of questionable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WireStrict {
    Off,
    Warning,
    Error,
}

impl From<Strict> for WireStrict {
    fn from(strict: Strict) -> Self {
        match strict {
            Strict::Off => Self::Off,
            Strict::Warning => Self::Warning,
            Strict::Error => Self::Error,
        }
    }
}

impl From<WireStrict> for Strict {
    fn from(strict: WireStrict) -> Self {
        match strict {
            WireStrict::Off => Self::Off,
            WireStrict::Warning => Self::Warning,
            WireStrict::Error => Self::Error,
        }
    }
}

impl Specification {
    /// The options of compiles.
    pub(super) fn options(&self) -> Options {
        Options {
            environment: self.environment.clone(),
            modulepath: self.modulepath.clone(),
            hiera: self.hiera.clone(),
            strict: self.strict.into(),
            strict_variables: self.strict_variables,
            legacy_facts: self.legacy_facts,
            ..Options::default()
        }
    }
}

/// The nodes of a batch.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Batch {
    /// Whether the exported resources of all nodes are known: they are in the shared input.
    pub(super) has_exports: bool,
    pub(super) nodes: Vec<WireNode>,
}

/// The result of a batch.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BatchResult {
    /// In the order of the batch.
    pub(super) nodes: Vec<NodeResult>,
    /// The changes, with the number of nodes whose causes were searched.
    pub(super) changes: Vec<(FoundChange, u8)>,
    pub(super) exports: SideExports,
}

/// The result of a node.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NodeResult {
    /// The places of its changes in the list of the batch.
    pub(super) changes: Vec<u32>,
    pub(super) compiles: usize,
    pub(super) is_excluded: bool,
    pub(super) reads_exports: bool,
    pub(super) runs_programs: bool,
}

impl From<NodeWork> for NodeResult {
    fn from(work: NodeWork) -> Self {
        Self {
            changes: work.changes,
            compiles: work.compiles,
            is_excluded: work.is_excluded,
            reads_exports: work.reads_exports,
            runs_programs: work.runs_programs,
        }
    }
}

/// The exported resources of both sides.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct SideExports {
    pub(super) before: Vec<WireExported>,
    pub(super) after: Vec<WireExported>,
}

impl SideExports {
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.before.extend(others.before);
        self.after.extend(others.after);
    }
}

/// An exported resource. Secrets are digests.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireExported {
    node: String,
    kind: String,
    title: String,
    attributes: Vec<(String, WireData)>,
    tags: Vec<String>,
    place: Option<(String, u32, u32)>,
}

impl From<Exported> for WireExported {
    fn from(one: Exported) -> Self {
        let attribute = |(name, value): &(EcoString, Data)| (name.to_string(), WireData::of(value));
        Self {
            node: one.node.to_string(),
            kind: one.id.kind.to_string(),
            title: one.id.title.to_string(),
            attributes: one.attributes.iter().map(attribute).collect(),
            tags: one.tags.iter().map(ToString::to_string).collect(),
            place: one.place.map(|place| (place.file, place.line, place.column)),
        }
    }
}

impl From<WireExported> for Exported {
    fn from(one: WireExported) -> Self {
        let attribute = |(name, value): (String, WireData)| (name.into(), value.data());
        Self {
            node: one.node.into(),
            id: ResourceRef { kind: one.kind.into(), title: one.title.into() },
            attributes: one.attributes.into_iter().map(attribute).collect(),
            tags: one.tags.into_iter().map(Into::into).collect(),
            place: one.place.map(|(file, line, column)| Place { file, line, column }),
        }
    }
}

/// Writes a message.
///
/// # Errors
/// The reason why it is no JSON.
pub(super) fn write(message: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(message).map_err(|error| error.to_string())
}

/// Reads a message.
///
/// # Errors
/// The reason why it is none.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}
