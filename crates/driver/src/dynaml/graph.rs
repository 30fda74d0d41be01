//! The resources that a YAML document declares.

use std::path::{Path, PathBuf};

use ordain_dynaml::diagnose;
use ordain_dynaml::resources::Codes;
use ordain_graph::Graph;
use ordain_source::{EntryKind, SourceMap, World};

use super::merge::{self, Merge, report};
use crate::codes;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;

/// Whether a path names a YAML document.
pub(crate) fn is_document(world: &dyn World, path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    (extension == "yml" || extension == "yaml") && world.kind(path) == Some(EntryKind::File)
}

/// Merges a document with its stubs and returns the graph of the resources that it declares.
///
/// # Errors
/// When there is no document, or its resources do not have the expected form.
pub(crate) fn graph(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    sources: &SourceMap,
) -> Result<Graph, Error> {
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    let stubs: Vec<String> = options.stubs.iter().map(name).collect();
    let template = path.to_string_lossy();
    let merge = Merge { template: &template, stubs: &stubs, ..Merge::default() };
    let codes = Codes { form: codes::DOCUMENT, unknown: codes::UNKNOWN_NAME };
    let declared = merge::declare(options.world().as_ref(), &merge, sources, codes);
    let declared = declared.map_err(|error| report(reporter, &error))?;
    reporter.diagnostics(diagnose::warnings(&declared.output, sources), sources);
    declared.graph.map_err(|errors| {
        reporter.diagnostics(errors, sources);
        Error::Reported
    })
}
