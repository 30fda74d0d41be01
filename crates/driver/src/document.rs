//! Graphs, catalogs and saved plans in JSON.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_engine::saved::{self, SavedPlan};
use ordain_graph::{Graph, json, puppet_catalog};
use ordain_source::{Diagnostic, EntryKind, FileId, SourceMap, World};
use serde::Deserialize;

use crate::codes;
use crate::compiled::{Compiled, Modules};
use crate::error::Error;
use crate::options::{Options, UsedOptions};
use crate::reporter::Reporter;
use crate::resolve::resolve_deferred;

/// The format field of a JSON document.
#[derive(Deserialize)]
struct Probe {
    format: Option<String>,
}

/// Reads the plan in a file named `*.plan`. Refuses any other document: a user who edits a plan could
/// otherwise turn it into a document without a digest.
pub(crate) fn saved_plan(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Compiled, Error> {
    let text = options.world().read(path).map_err(|e| codes::unreadable(path, &e))?;
    let loaded = read(reporter, path, &text, options)?;
    if loaded.plan.is_some() {
        return Ok(loaded);
    }
    let text = format!("{} is named like a saved plan, but is not one", path.display());
    Err(Diagnostic::error(codes::UNTRUSTED_PLAN, text).into())
}

/// Whether a text is the JSON of a graph, a catalog or a saved plan.
pub(crate) fn is_graph(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Members {
        format: Option<String>,
        resources: Option<serde::de::IgnoredAny>,
        edges: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice::<Members>(text).is_ok_and(|found| match found.format.as_deref() {
        Some(format) => [json::FORMAT, saved::FORMAT].contains(&format),
        None => found.resources.is_some() && found.edges.is_some(),
    })
}

/// Whether a file holds a JSON object.
pub(crate) fn is_object(world: &dyn World, path: &Path) -> bool {
    let is_manifest = path.extension().is_some_and(|e| e == "pp");
    // Opening a pipe would block until somebody writes to it.
    if is_manifest || world.kind(path) != Some(EntryKind::File) {
        return false;
    }
    let is_named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    is_named || world.read(path).is_ok_and(|text| begins_object(&text))
}

/// Whether a text is a JSON object. A manifest never begins with a brace.
pub(crate) fn begins_object(text: &[u8]) -> bool {
    text.trim_ascii_start().first() == Some(&b'{')
}

/// Reads a graph that a server has compiled for this machine. `places` has the files that it copies,
/// by address. No other file of this machine is read.
///
/// # Errors
/// When the text is not a graph, or a deferred value cannot be resolved.
pub fn received(
    reporter: &mut dyn Reporter,
    text: &[u8],
    places: BTreeMap<String, PathBuf>,
    options: &Options,
) -> Result<Compiled, Error> {
    let name = Path::new("the graph of the server");
    let graph = json::read(text, &|_| None).map_err(|error| codes::document(name, error))?;
    let modules = Arc::new(Modules::ByAddress(places));
    let mut compiled = Compiled { modules, ..Compiled::of_graph(graph, options.sources()) };
    resolve_deferred(reporter, &mut compiled, options)?;
    Ok(compiled)
}

/// Reads a graph, a catalog or a saved plan.
///
/// # Errors
/// When the text is none of these.
pub(crate) fn read(
    reporter: &mut dyn Reporter,
    path: &Path,
    text: &[u8],
    options: &Options,
) -> Result<Compiled, Error> {
    reporter.diagnostics(
        options.warn_unused("a graph that is compiled", UsedOptions::GRAPH),
        &SourceMap::new(),
    );
    if text.trim_ascii().is_empty() {
        let help = "a graph, a catalog or a saved plan is wanted";
        return Err(codes::document(path, "the file is empty").help(help).into());
    }
    let probe: Probe = serde_json::from_slice(text).map_err(|e| codes::document(path, e))?;
    let sources = options.sources();
    let known: RefCell<BTreeMap<PathBuf, Option<FileId>>> = RefCell::default();
    let file = |path: &Path| {
        let mut known = known.borrow_mut();
        *known.entry(path.to_path_buf()).or_insert_with(|| {
            ordain_source::read_input_text(path).ok().map(|text| sources.add(path, text))
        })
    };
    let (graph, plan) = match probe.format.as_deref() {
        Some(json::FORMAT) => (json::read(text, &file), None),
        Some(saved::FORMAT) => {
            let plan = SavedPlan::load(text, &file).map_err(|e| codes::document(path, e))?;
            (Ok(plan.graph.clone()), Some(Arc::new(plan)))
        }
        Some(other) => {
            return Err(
                codes::document(path, format!("`{other}` is neither a graph nor a plan")).into()
            );
        }
        None => (puppet_catalog::read(text), None),
    };
    let graph = graph.map_err(|e| codes::document(path, e))?;
    let modules = match (&options.modulepath, &plan) {
        (None, Some(plan)) => Modules::ByName(plan.modules.clone()),
        (path, _) => {
            let dirs = path.iter().flat_map(|p| p.split(':')).map(PathBuf::from);
            Modules::Below(dirs.collect())
        }
    };
    let (graph, modules) = (Arc::new(graph), Arc::new(modules));
    let mut compiled =
        Compiled { graph, plan, modules, ..Compiled::of_graph(Graph::default(), sources) };
    resolve_deferred(reporter, &mut compiled, options)?;
    Ok(compiled)
}
