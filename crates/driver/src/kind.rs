//! Detects the language or format of a path.

use std::path::{Path, PathBuf};

use ordain_source::EntryKind;

use crate::options::Options;
use crate::{document, dynaml, inmanta, mcl, project};

/// The language or format of a path. It is detected from the name and the files in a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceKind {
    /// A list of sources, with the path of its `ordain.toml`.
    Project(PathBuf),
    /// A saved plan.
    Plan,
    /// A program of mgmt.
    Mcl,
    /// A model of Inmanta.
    Inmanta,
    /// A YAML document.
    Dynaml,
    /// A text on standard input: a manifest, or the JSON of a graph.
    StandardInput,
    /// A JSON object in a file: a graph, a catalog or a saved plan.
    Json,
    /// A manifest, a control repository or an environment; also a path at which nothing exists.
    Puppet,
}

impl SourceKind {
    /// Detects the kind of source at a path.
    pub fn of(path: &Path, options: &Options) -> Self {
        let world = options.untracked_world();
        let world = world.as_ref();
        if let Some(file) = project::file_of(world, path) {
            return Self::Project(file);
        }
        if path.extension().is_some_and(|e| e == "plan") {
            return Self::Plan;
        }
        if mcl::is_program(world, path) {
            return Self::Mcl;
        }
        if inmanta::is_model(world, path) {
            return Self::Inmanta;
        }
        if dynaml::is_document(world, path) {
            return Self::Dynaml;
        }
        if path == Path::new("-") {
            return Self::StandardInput;
        }
        if document::is_object(world, path) { Self::Json } else { Self::Puppet }
    }

    /// Whether it may have resources of programs of mgmt, which share values with other hosts.
    pub fn may_share_values(&self) -> bool {
        matches!(self, Self::Project(_) | Self::Plan | Self::Mcl | Self::Json)
    }
}

/// Whether the path holds a graph or compiles to one: a directory, a manifest, or JSON that is a
/// graph, a catalog or a saved plan. Other JSON and YAML files are documents.
pub fn is_graph(path: &Path, options: &Options) -> bool {
    let world = options.untracked_world();
    let is_program = |e: &std::ffi::OsStr| e == "pp" || e == "mcl" || e == "cf";
    if world.kind(path) == Some(EntryKind::Directory)
        || project::file_of(world.as_ref(), path).is_some()
        || path.extension().is_some_and(is_program)
    {
        return true;
    }
    document::is_object(world.as_ref(), path)
        && document::is_graph(&world.read(path).unwrap_or_default())
}
