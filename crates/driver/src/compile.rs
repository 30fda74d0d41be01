//! Compiles the source at a path to a graph, in every language.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ordain_engine::kind::Registry;
use ordain_graph::Graph;
use ordain_graph::exports::Exported;
use ordain_puppet::deferred::{Deferral, DeferredAttribute};
use ordain_puppet::session::{compile_node, compile_node_once};
use ordain_source::budget::Watch;
use ordain_source::{EntryKind, Severity, SourceMap};

use crate::compiled::{Compiled, Modules};
use crate::deferred::DeferredCalls;
use crate::error::Error;
use crate::kind::SourceKind;
use crate::module_kinds::ModuleKinds;
use crate::options::{Options, UsedOptions};
use crate::project::SourceList;
use crate::puppet::{self, Input};
use crate::reporter::Reporter;
use crate::{codes, document, dynaml, inmanta, mcl};

/// The purpose of a compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To show the graph as the sources declare it.
    Inspection,
    /// To apply the graph: the code of resource types validates the catalog and may refuse it, and
    /// resources that the engine cannot apply are errors.
    Application,
}

/// Compiles the source at a path, or reads it if it is JSON: a graph, a catalog, a saved plan.
///
/// # Errors
/// When it has errors.
pub fn compile(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    purpose: Purpose,
) -> Result<Compiled, Error> {
    options.check_paths()?;
    let _watch = Watch::within();
    let start = Instant::now();
    let mut compiled = compile_kind(reporter, path, options, purpose)?;
    compiled.inputs = options.touched.paths();
    compiled.took = start.elapsed();
    Ok(compiled)
}

fn compile_kind(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    purpose: Purpose,
) -> Result<Compiled, Error> {
    let kind = SourceKind::of(path, options);
    if matches!(kind, SourceKind::Mcl | SourceKind::Inmanta) {
        check_exists(reporter, path, options)?;
    }
    if let Some((what, used)) = used_options(&kind) {
        reporter.diagnostics(options.warn_unused(what, used), &SourceMap::new());
    }
    match kind {
        SourceKind::Project(file) => compile_project(reporter, &file, options),
        SourceKind::Plan => document::saved_plan(reporter, path, options),
        SourceKind::Mcl => compile_mcl(reporter, path, options, purpose),
        SourceKind::Inmanta => inmanta::resources(reporter, path, options),
        SourceKind::Dynaml => {
            let sources = options.sources();
            let graph = dynaml::graph(reporter, path, options, &sources)?;
            Ok(Compiled::of_graph(graph, sources))
        }
        SourceKind::StandardInput => {
            let text = puppet::read_stdin()?;
            if document::begins_object(text.as_bytes()) {
                return document::read(reporter, path, text.as_bytes(), options);
            }
            if text.trim_ascii().is_empty() {
                reporter.message(puppet::warn_empty("standard input"));
            }
            let input = puppet::open_code(reporter, text, options)?;
            compile_puppet(reporter, input, options, purpose)
        }
        SourceKind::Json => {
            let text = options.world().read(path).map_err(|e| codes::unreadable(path, &e))?;
            document::read(reporter, path, &text, options)
        }
        SourceKind::Puppet => {
            let input = puppet::open_with_manifests(reporter, path, options)?;
            compile_puppet(reporter, input, options, purpose)
        }
    }
}

/// The name of a kind of source in warnings about unused options, and the options that it uses.
/// `None` for kinds with a rule of their own.
fn used_options(kind: &SourceKind) -> Option<(&'static str, UsedOptions)> {
    match kind {
        SourceKind::Mcl => Some(("a program of mgmt", UsedOptions::PROGRAM)),
        SourceKind::Inmanta => Some(("a model of Inmanta", UsedOptions::MODEL)),
        SourceKind::Dynaml => Some(("a YAML document", UsedOptions::DOCUMENT)),
        _ => None,
    }
}

/// Refuses a path at which nothing exists, and warns about an empty file.
///
/// # Errors
/// When nothing exists at the path.
pub fn check_exists(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<(), Error> {
    let world = options.untracked_world();
    let kind = world.kind(path).ok_or_else(|| codes::missing(path))?;
    if kind == EntryKind::File && world.read(path).is_ok_and(|text| text.trim_ascii().is_empty()) {
        reporter.message(puppet::warn_empty(&path.display().to_string()));
    }
    Ok(())
}

/// Compiles all sources of a list and joins their graphs.
fn compile_project(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Compiled, Error> {
    let list = SourceList::read(reporter, path, options)?;
    let mut compiled = Vec::new();
    for (place, options) in list.parts(reporter)? {
        compiled.push(compile(reporter, &place, &options, Purpose::Application)?);
    }
    list.join(reporter, compiled)
}

fn compile_mcl(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    purpose: Purpose,
) -> Result<Compiled, Error> {
    let sources = options.sources();
    let request = mcl::Request::of(path, options)?;
    let is_applied = purpose == Purpose::Application;
    let (graph, exports) = mcl::compile(reporter, &request, &sources, is_applied)?;
    let exports = exports.map(Into::into);
    Ok(Compiled { exports, ..Compiled::of_graph(graph, sources) })
}

fn compile_puppet(
    reporter: &mut dyn Reporter,
    mut input: Input,
    options: &Options,
    purpose: Purpose,
) -> Result<Compiled, Error> {
    reporter
        .diagnostics(options.warn_unused("a manifest", UsedOptions::MANIFEST), &SourceMap::new());
    let is_applied = purpose == Purpose::Application;
    input.settings.examine_types = is_applied;
    input.settings.deferral = if is_applied { options.deferral } else { Deferral::Keep };
    let native = Registry::default();
    let in_ruby = |name: &str| options.ruby_types.iter().any(|t| t.eq_ignore_ascii_case(name));
    let native_kinds = native.iter().map(|kind| kind.name()).filter(|name| !in_ruby(name));
    input.settings.native_kinds = native_kinds.map(Into::into).collect();
    input.settings.examines_native_only = options.runs_providers;
    let (mut graph, exported, deferred) = compile_node_graph(reporter, &input, options)?;
    let module_kinds = match options.runs_providers {
        true => {
            let registry = options.registry()?;
            ModuleKinds::of_input(&input, &graph, &registry, options).map(Arc::new)
        }
        false => None,
    };
    let deferred = DeferredCalls::new(&input, deferred, options).map(Arc::new);
    if let Some(files) = &options.static_catalog {
        let found = files.apply(&input.env, &mut graph, &exported)?;
        let has_errors = found.iter().any(|d| d.severity == Severity::Error);
        reporter.diagnostics(found, &input.sources);
        if has_errors {
            return Err(Error::Reported);
        }
    }
    let modules = input.env.modules.values();
    let modules = modules.map(|m| (m.name.to_string(), m.dir.clone())).collect();
    let modules = Arc::new(Modules::ByName(modules));
    let exports = input.exports(exported);
    let sources = Arc::clone(&input.sources);
    if options.is_last_compile {
        // The process ends soon, and the system takes all memory back at once.
        std::mem::forget(input);
    }
    let deferred = deferred.into_iter().collect();
    let exports = Some(exports);
    let module_kinds = module_kinds.into_iter().collect();
    Ok(Compiled { modules, exports, deferred, module_kinds, ..Compiled::of_graph(graph, sources) })
}

fn compile_node_graph(
    reporter: &mut dyn Reporter,
    input: &Input,
    options: &Options,
) -> Result<(Graph, Vec<Exported>, Vec<DeferredAttribute>), Error> {
    let compile = if options.is_last_compile { compile_node_once } else { compile_node };
    let compiled = compile(&input.env, input.settings.clone(), &input.node);
    reporter.logs(&compiled.report.logs, &input.sources);
    reporter.diagnostics(compiled.report.diagnostics, &input.sources);
    Ok((compiled.graph.ok_or(Error::Reported)?, compiled.exports, compiled.deferred))
}
