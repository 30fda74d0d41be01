//! From a path on the command line to a graph: compiled from sources, or read from a document.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_engine::host::Host;
use ordain_engine::prepare::Resolve;
use ordain_engine::registry::Registry;
use ordain_engine::reversal::Noted;
use ordain_engine::saved::{self, SavedPlan};
use ordain_graph::join::Conflict;
use ordain_graph::{Containment, Graph, Resource, json, puppet_catalog};
use ordain_puppet::deferred::Deferral;
use ordain_source::budget::Watch;
use ordain_source::{Diagnostic, FileId, SourceMap};
use serde::Deserialize;

use crate::codes;
use crate::commands::compile;
use crate::deferring::{self, Deferring};
use crate::exit::Failure;
use crate::inmanta;
use crate::input::{self, Exporting};
use crate::joining;
use crate::mcl;
use crate::merged;
use crate::options::{CompileArgs, Uses};
use crate::ui::Ui;

/// A graph with what is needed to use it.
#[derive(Clone)]
pub struct Loaded {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The texts that its origins are in.
    pub sources: Arc<SourceMap>,
    /// The plan that the graph was kept with.
    pub plan: Option<Arc<SavedPlan>>,
    modules: Arc<Modules>,
    /// What the node exports, if it was compiled.
    pub exports: Option<Exporting>,
    /// What makes the deferred calls of the graph during a run.
    pub deferring: Vec<Arc<Deferring>>,
}

/// Where modules are.
enum Modules {
    ByName(BTreeMap<String, PathBuf>),
    Below(Vec<PathBuf>),
    /// Of several sources; the first that has a file counts.
    Several(Vec<Arc<Modules>>),
}

impl Loaded {
    /// A graph without modules and exported resources.
    pub fn drawn(graph: Graph, sources: Arc<SourceMap>) -> Self {
        let modules = Arc::new(Modules::Below(Vec::new()));
        let (graph, deferring) = (Arc::new(graph), Vec::new());
        Self { graph, sources, plan: None, modules, exports: None, deferring }
    }

    /// The directories of modules by name, where these are known.
    pub fn module_dirs(&self) -> BTreeMap<String, PathBuf> {
        let Modules::ByName(dirs) = &*self.modules else { return BTreeMap::new() };
        let full = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        dirs.iter().map(|(name, dir)| (name.clone(), full(dir))).collect()
    }

    /// The directories that modules of a saved plan are in, as a module path.
    pub fn module_path(&self) -> Option<String> {
        let dirs = self.module_dirs();
        let mut parents: Vec<_> = dirs.values().filter_map(|dir| dir.parent()).collect();
        parents.sort();
        parents.dedup();
        let parents: Vec<_> = parents.iter().map(|dir| dir.display().to_string()).collect();
        (!parents.is_empty()).then(|| parents.join(":"))
    }

    /// This with all that another has, and the resources that both declare.
    pub fn join(&mut self, other: Self) -> Vec<Conflict> {
        let conflicts = Arc::make_mut(&mut self.graph).join(Arc::unwrap_or_clone(other.graph));
        self.deferring.extend(other.deferring);
        let modules = vec![Arc::clone(&self.modules), other.modules];
        self.modules = Arc::new(Modules::Several(modules));
        self.exports = match (self.exports.take(), other.exports) {
            (Some(one), Some(two)) => Some(one.with(two)),
            (one, two) => one.or(two),
        };
        conflicts
    }

    /// Adds what undoes resources that were to be undone once nobody declares them any more. Gives
    /// what the machine has noted of them.
    ///
    /// # Errors
    /// When a note is spoiled.
    pub fn undo_missing(&mut self, host: &Host, registry: &Registry) -> Result<Noted, Failure> {
        let noted = Noted::read(host).map_err(codes::note)?;
        // A plan is applied as it was made.
        if self.plan.is_none() && noted.adds_to(&self.graph, registry) {
            noted.add_to(Arc::make_mut(&mut self.graph), registry);
        }
        Ok(noted)
    }

    /// How many resources a run looks at.
    pub fn leaves(&self) -> usize {
        let leaf = |r: &Resource| {
            r.containment == Containment::Leaf && !r.is_virtual && r.id.kind != "Stage"
        };
        self.graph.resources().filter(|(_, r)| leaf(r)).count()
    }

    /// Finds files behind `puppet:///modules/NAME/REST`.
    pub fn resolver(&self) -> Resolve {
        let modules = Arc::clone(&self.modules);
        Arc::new(move |address| modules.resolve(address))
    }
}

impl Modules {
    fn resolve(&self, address: &str) -> Option<PathBuf> {
        let rest = address.strip_prefix("puppet:///modules/").or_else(|| {
            let (_, path) = address.strip_prefix("puppet://")?.split_once('/')?;
            path.strip_prefix("modules/")
        })?;
        let (name, rest) = rest.split_once('/')?;
        if rest.split('/').any(|part| part == "..") {
            return None;
        }
        let in_module = |dir: &Path| dir.join("files").join(rest);
        match self {
            Self::Several(all) => all.iter().find_map(|modules| modules.resolve(address)),
            Modules::ByName(dirs) => dirs.get(name).map(|dir| in_module(dir)),
            Modules::Below(dirs) => {
                let mut found = dirs.iter().map(|dir| in_module(&dir.join(name)));
                found.find(|path| path.exists())
            }
        }
    }
}

/// What a JSON document says about its form.
#[derive(Deserialize)]
struct Probe {
    format: Option<String>,
}

/// Compiles what stands at a path, or reads it if it is JSON: a graph, a catalog, a saved plan.
///
/// # Errors
/// When it has errors; they are shown.
pub fn load(ui: &mut Ui, path: &Path, args: &CompileArgs) -> Result<Loaded, Failure> {
    load_as(ui, path, args, false)
}

/// As [`load`]; the code of resource types sees what was compiled, as before it is applied.
///
/// # Errors
/// As of [`load`], and when a type refuses a value.
pub fn load_examined(ui: &mut Ui, path: &Path, args: &CompileArgs) -> Result<Loaded, Failure> {
    load_as(ui, path, args, true)
}

fn load_as(
    ui: &mut Ui,
    path: &Path,
    args: &CompileArgs,
    examine_types: bool,
) -> Result<Loaded, Failure> {
    args.check_paths()?;
    let _watch = Watch::within();
    if let Some(file) = joining::file_of(path) {
        return joining::load(ui, &file, args);
    }
    if path.extension().is_some_and(|e| e == "plan") {
        return saved_plan(ui, path, args);
    }
    if mcl::is_program(path) {
        input::present(ui, path)?;
        ui.diagnostics(args.of_no_use("a program of mgmt", Uses::PROGRAM), &SourceMap::new());
        return program(ui, path, args, examine_types);
    }
    if inmanta::is_model(path) {
        input::present(ui, path)?;
        ui.diagnostics(args.of_no_use("a model of Inmanta", Uses::MODEL), &SourceMap::new());
        let model = inmanta::load(ui, path, args)?;
        return Ok(Loaded::drawn(model.graph, model.sources));
    }
    if merged::is_document(path) {
        ui.diagnostics(args.of_no_use("a YAML document", Uses::DOCUMENT), &SourceMap::new());
        let sources = args.sources();
        let graph = merged::load(ui, path, args, &sources)?;
        return Ok(Loaded::drawn(graph, sources));
    }
    let mut input = if path == Path::new("-") {
        let text = input::read_stdin()?;
        if begins_document(text.as_bytes()) {
            return read(ui, path, text.as_bytes(), args);
        }
        if text.trim_ascii().is_empty() {
            ui.message(&input::nothing_in("standard input"));
        }
        input::open_code(ui, text, args)?
    } else if is_document(path) {
        args.touched.note(path);
        let text = ordain_source::read_input(path).map_err(|e| codes::unreadable(path, &e))?;
        return read(ui, path, &text, args);
    } else {
        input::open_with_manifests(ui, path, args)?
    };
    ui.diagnostics(args.of_no_use("a manifest", Uses::MANIFEST), &SourceMap::new());
    input.settings.examine_types = examine_types;
    input.settings.deferral = if examine_types { args.deferral } else { Deferral::Keep };
    let native = Registry::default();
    input.settings.native_kinds = native.iter().map(|kind| kind.name().into()).collect();
    let (graph, exported, deferred) = compile::graph(ui, &input)?;
    let deferring = Deferring::new(&input, deferred, args).map(Arc::new).into_iter().collect();
    let modules = input.env.modules.values();
    let modules = modules.map(|m| (m.name.to_string(), m.dir.clone())).collect();
    let modules = Modules::ByName(modules);
    let exports = input.exports(exported);
    let sources = input.sources;
    let (graph, modules) = (Arc::new(graph), Arc::new(modules));
    Ok(Loaded { graph, sources, plan: None, modules, exports: Some(exports), deferring })
}

/// A plan in a file that is named as one. Nothing else is taken from there: who edits a plan could
/// else make it something that has no digest.
fn saved_plan(ui: &mut Ui, path: &Path, args: &CompileArgs) -> Result<Loaded, Failure> {
    args.touched.note(path);
    let text = ordain_source::read_input(path).map_err(|e| codes::unreadable(path, &e))?;
    let loaded = read(ui, path, &text, args)?;
    if loaded.plan.is_some() {
        return Ok(loaded);
    }
    let text = format!("{} is named as a saved plan, and is none", path.display());
    Err(Diagnostic::error(codes::UNTRUSTED_PLAN, text).into())
}

/// The first graph of a program of mgmt.
///
/// # Errors
/// When it has errors; they are shown.
pub fn program(
    ui: &mut Ui,
    path: &Path,
    args: &CompileArgs,
    is_planned: bool,
) -> Result<Loaded, Failure> {
    let sources = args.sources();
    let request = mcl::Request::of(path, args)?;
    let (graph, giving) = mcl::compile(ui, &request, &sources, is_planned)?;
    let exports = giving.map(Exporting::from);
    Ok(Loaded { exports, ..Loaded::drawn(graph, sources) })
}

/// Whether a graph is what stands at a path: a directory, a manifest, or JSON that is a graph, a
/// catalog or a saved plan. Other JSON and YAML are documents.
pub fn is_graph(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Members {
        format: Option<String>,
        resources: Option<serde::de::IgnoredAny>,
        edges: Option<serde::de::IgnoredAny>,
    }
    let is_program = |e: &std::ffi::OsStr| e == "pp" || e == "mcl" || e == "cf";
    if path.is_dir() || joining::file_of(path).is_some() || path.extension().is_some_and(is_program)
    {
        return true;
    }
    if !is_document(path) {
        return false;
    }
    let text = ordain_source::read_input(path).unwrap_or_default();
    serde_json::from_slice::<Members>(&text).is_ok_and(|found| match found.format.as_deref() {
        Some(format) => [json::FORMAT, saved::FORMAT].contains(&format),
        None => found.resources.is_some() && found.edges.is_some(),
    })
}

/// Whether a file holds a JSON object.
fn is_document(path: &Path) -> bool {
    // To open a pipe waits for somebody who writes to it.
    if !path.is_file() {
        return false;
    }
    let Ok(file) = std::fs::File::open(path) else { return false };
    let mut start = Vec::new();
    if file.take(1024).read_to_end(&mut start).is_err() {
        return false;
    }
    let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    named || begins_document(&start)
}

/// Whether a text is a JSON object: no manifest begins with a brace.
fn begins_document(text: &[u8]) -> bool {
    text.trim_ascii_start().first() == Some(&b'{')
}

fn read(ui: &mut Ui, path: &Path, text: &[u8], args: &CompileArgs) -> Result<Loaded, Failure> {
    ui.diagnostics(args.of_no_use("a graph that is compiled", Uses::GRAPH), &SourceMap::new());
    if text.trim_ascii().is_empty() {
        let help = "a graph, a catalog or a saved plan is wanted";
        return Err(codes::document(path, "the file is empty").help(help).into());
    }
    let probe: Probe = serde_json::from_slice(text).map_err(|e| codes::document(path, e))?;
    let sources = args.sources();
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
            return Err(codes::document(path, format!("`{other}` is no graph or plan")).into());
        }
        None => (puppet_catalog::read(text), None),
    };
    let graph = graph.map_err(|e| codes::document(path, e))?;
    let modules = match (&args.modulepath, &plan) {
        (None, Some(plan)) => Modules::ByName(plan.modules.clone()),
        (path, _) => {
            let dirs = path.iter().flat_map(|p| p.split(':')).map(PathBuf::from);
            Modules::Below(dirs.collect())
        }
    };
    let (graph, modules) = (Arc::new(graph), Arc::new(modules));
    let deferring = Vec::new();
    let mut loaded = Loaded { graph, sources, plan, modules, exports: None, deferring };
    deferring::settle(ui, &mut loaded, args)?;
    Ok(loaded)
}
