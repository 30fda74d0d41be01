//! Undoes resources that are not declared any more: mgmt's reversed resources.
//!
//! Before a resource with `meta:reverse` is first applied, a resource that would restore the
//! present state is recorded on the machine. When a graph does not declare the resource any more,
//! the recorded one is added to it. After that is applied, the record is removed.

use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::json::{self, Secrets};
use ordain_graph::{Attribute, Containment, Graph, Origin, Resource, ResourceRef, Step};
use ordain_source::SourceMap;
use rustc_hash::FxHashSet;

use crate::kind::Registry;
use crate::kind::{Instance, KindError};
use crate::kinds::shared::state_file::StateFile;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;

/// The directory of notes.
const DIRECTORY: &str = "reversals";

/// Marks a resource that undoes another.
const REVERSAL_ATTRIBUTE: &str = "meta:reversal";

fn note_of(name: &ResourceRef) -> StateFile {
    StateFile::new(DIRECTORY, &name.to_string())
}

fn is_true(resource: &Resource, name: &str) -> bool {
    resource.value(name) == Some(&Value::Bool(true))
}

/// Records the undo of a resource, if it wants that and has no record yet.
///
/// # Errors
/// When it cannot be undone or recorded.
pub(crate) fn note(
    resource: &Resource,
    instance: &dyn Instance,
    host: &Host,
) -> Result<(), KindError> {
    if !is_true(resource, "meta:reverse") {
        return Ok(());
    }
    let note = note_of(&resource.id);
    if host.path(note.path()).exists() {
        return Ok(());
    }
    let Some(attributes) = instance.reversal(host)? else { return Ok(()) };
    let mut graph = Graph::default();
    let origin = origin(&mut graph);
    let attribute = |(name, value): (&str, Value)| Attribute {
        name: name.into(),
        value,
        origin,
        losers: Vec::new(),
    };
    let mark = [(REVERSAL_ATTRIBUTE, Value::Bool(true)), ("meta:poll", Value::Int(-1))];
    graph.add(Resource {
        id: resource.id.clone(),
        containment: Containment::Leaf,
        attributes: attributes.into_iter().chain(mark).map(attribute).collect(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    });
    let mut text = Vec::new();
    json::write(&graph, &SourceMap::default(), Secrets::Include, &mut text).map_err(|e| {
        KindError::new(format!("the undo of {} cannot be recorded: {e}", resource.id))
    })?;
    note.write(host, &text)
}

fn origin(graph: &mut Graph) -> ordain_graph::OriginId {
    let step = Step::Kind("reversal".into());
    graph.origins.intern(Origin { step, span: None, parent: None })
}

/// Removes a record after its undo was applied.
///
/// # Errors
/// When the record cannot be removed.
pub(crate) fn done(resource: &Resource, host: &Host) -> Result<(), KindError> {
    if is_true(resource, REVERSAL_ATTRIBUTE) { note_of(&resource.id).remove(host) } else { Ok(()) }
}

/// The notes on a machine.
#[derive(Debug, Default)]
pub struct ReversalNotes {
    resources: Vec<Resource>,
}

impl ReversalNotes {
    /// Reads the records; empty if they may not be read.
    ///
    /// # Errors
    /// When one is invalid.
    pub fn read(host: &Host) -> Result<Self, KindError> {
        let dir: PathBuf = host.path(&StateFile::directory(DIRECTORY));
        let Ok(entries) = std::fs::read_dir(&dir) else { return Ok(Self::default()) };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let is_whole = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())
        };
        let mut noted = Self::default();
        for path in paths.iter().filter(is_whole) {
            noted.resources.extend(read(path)?);
        }
        noted.resources.sort_by_key(|noted| noted.id.to_string());
        Ok(noted)
    }

    /// Whether a graph leaves out any of them.
    pub fn adds_to(&self, graph: &Graph, registry: &Registry) -> bool {
        self.missing(graph, registry).next().is_some()
    }

    /// Adds undos of resources that a graph does not declare any more.
    pub fn add_to(&self, graph: &mut Graph, registry: &Registry) {
        let missing: Vec<Resource> = self.missing(graph, registry).cloned().collect();
        for mut resource in missing {
            let origin = origin(graph);
            resource.origin = origin;
            resource.attributes.iter_mut().for_each(|attribute| attribute.origin = origin);
            graph.add(resource);
        }
    }

    /// Removes records of resources that are declared again without `meta:reverse`.
    ///
    /// # Errors
    /// When a record cannot be removed.
    pub fn forget_obsolete(&self, graph: &Graph, host: &Host) -> Result<(), KindError> {
        let declared = |noted: &&Resource| graph.find(&noted.id).map(|id| graph.resource(id));
        let stays = |r: &Resource| is_true(r, "meta:reverse") || is_true(r, REVERSAL_ATTRIBUTE);
        let obsolete = self.resources.iter().filter(|r| declared(r).is_some_and(|r| !stays(r)));
        obsolete.into_iter().try_for_each(|noted| note_of(&noted.id).remove(host))
    }

    /// The recorded resources that a graph does not declare, by name or by identity.
    fn missing<'a>(
        &'a self,
        graph: &Graph,
        registry: &Registry,
    ) -> impl Iterator<Item = &'a Resource> {
        let identity = |resource: &Resource| {
            let kind = registry.get(&resource.id.kind)?;
            Some((resource.id.kind.clone(), kind.identity(resource)))
        };
        let kinds: FxHashSet<&str> = self.resources.iter().map(|r| r.id.kind.as_str()).collect();
        let declared = graph.resources().map(|(_, r)| r);
        let declared = declared.filter(|r| kinds.contains(r.id.kind.as_str()) && !r.is_virtual);
        let declared: FxHashSet<_> = declared.filter_map(identity).collect();
        let missing = self.resources.iter().filter(move |noted| {
            identity(noted).is_some_and(|identity| !declared.contains(&identity))
        });
        missing.collect::<Vec<_>>().into_iter()
    }
}

fn read(path: &Path) -> Result<Vec<Resource>, KindError> {
    let failed = |e: String| KindError::new(format!("the note {} is spoiled: {e}", path.display()));
    let bytes = read_bytes(path).map_err(|e| failed(e.to_string()))?.unwrap_or_default();
    let graph = json::read(&bytes, &|_| None).map_err(|e| failed(e.to_string()))?;
    Ok(graph.resources().map(|(_, resource)| resource.clone()).collect())
}
