//! Why a catalog does not have a resource.

use std::path::{Path, PathBuf};

use ordain_graph::{Graph, ResourceRef};
use ordain_puppet::eval::UsedCode;
use ordain_puppet::load::{Site, manifest_files};
use ordain_puppet_tools::absence::{Compile, explain};
use ordain_source::layer::absolute;
use ordain_source::{Diagnostic, SourceMap, World};

use super::layout;
use crate::options::Options;

/// Adds to the error that there is no such resource the code that would declare it, and the reasons
/// that a compile with `used` did not evaluate it.
pub fn explain_absence(
    error: Diagnostic,
    name: &ResourceRef,
    path: &Path,
    options: &Options,
    (graph, sources): (&Graph, &SourceMap),
    used: &UsedCode,
) -> Diagnostic {
    let world = options.untracked_world();
    let taken = used
        .branches()
        .into_iter()
        .map(|(span, number)| (absolute(&sources.file(span.file).path), span.range.start, number));
    let taken = taken.collect();
    let compile = Compile { graph, taken: &taken, node: &graph.name };
    let files = manifests(world.as_ref(), path, options, &graph.environment);
    explain(error, name, &compile, (world.as_ref(), sources, &files))
}

/// The manifests of an environment: those of the site program, then those of its modules.
fn manifests(world: &dyn World, path: &Path, options: &Options, environment: &str) -> Vec<PathBuf> {
    // Standard input was read by the compile.
    if path == Path::new("-") {
        return Vec::new();
    }
    let Ok(layout) = layout(world, Some(path), options, environment) else { return Vec::new() };
    let mut files = match &layout.site {
        Site::Path(path) => manifest_files(world, path),
        _ => Vec::new(),
    };
    for dir in &layout.modulepath {
        for (module, _) in world.list(dir).unwrap_or_default() {
            files.extend(manifest_files(world, &dir.join(module).join("manifests")));
        }
    }
    files
}
