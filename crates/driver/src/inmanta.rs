//! Models of Inmanta.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::explain::Explanation;
use ordain_inmanta::project::{Environment, Project, Setting, settings};
use ordain_inmanta::session::{self, Outcome, Request};
use ordain_inmanta::value::Value;
use ordain_inmanta::{diagnostics, explain, output};
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, EntryKind, SourceMap, World};
use serde_json::{Map, Value as Json, json};

use crate::codes;
use crate::compiled::Compiled;
use crate::error::Error;
use crate::handler_kinds::{HandlerKinds, parameters_file};
use crate::options::Options;
use crate::reporter::Reporter;

/// The stack size for a compile, in bytes.
pub const STACK_SIZE: usize = 256 << 20;

/// A textual form of a compiled model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Variables, instances, output, warnings and resources, or the error.
    Model {
        /// Whether the text includes passwords.
        has_secrets: bool,
    },
    /// The resources alone, as `inmanta export -j` writes them.
    Resources,
}

/// A model to compile.
pub struct Model<'a> {
    /// A file, or the directory of a project with its `main.cf`.
    pub path: &'a Path,
    /// Whether `std` is imported everywhere.
    pub has_std: bool,
    /// Further directories of modules.
    pub modulepath: Vec<PathBuf>,
    /// A file of settings.
    pub config: Option<PathBuf>,
    /// Further settings.
    pub settings: Vec<Setting>,
    /// A file with parameters and facts of resources.
    pub parameters: Option<PathBuf>,
    /// The files, and the machine around them.
    pub world: Arc<dyn World>,
}

impl<'a> Model<'a> {
    /// The model at a path.
    pub fn new(path: &'a Path, options: &Options) -> Self {
        let modulepath = options.modulepath.as_deref().map(std::env::split_paths);
        Self {
            path,
            has_std: options.imports_std,
            modulepath: modulepath.into_iter().flatten().collect(),
            config: None,
            settings: Vec::new(),
            parameters: parameters_file(options),
            world: options.world(),
        }
    }
}

/// Whether the path is a model of Inmanta.
pub fn is_model(world: &dyn World, path: &Path) -> bool {
    match world.kind(path) {
        Some(EntryKind::Directory) => {
            let has = |name: &str| world.kind(&path.join(name)) == Some(EntryKind::File);
            has("project.yml") || has("main.cf")
        }
        _ => path.extension().is_some_and(|e| e == "cf"),
    }
}

/// A compiled model as a text.
pub struct Exported {
    /// The text; `None` if the form cannot represent errors.
    pub text: Option<String>,
    /// Errors, warnings and remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether there are errors.
    pub has_failed: bool,
}

/// The kind of graph to make of a model.
enum GraphRequest<'a> {
    Resources(Option<&'a str>),
    Instances,
}

/// Makes a graph for this machine of a model's resources, or of those of the agent `--node` if it
/// is set. Reports diagnostics to `reporter`.
///
/// # Errors
/// When the model cannot be read or has errors, or a resource cannot be deployed here.
pub fn resources(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Compiled, Error> {
    graph(reporter, path, options, &GraphRequest::Resources(options.node.as_deref()))
}

/// The instances of a model as a graph.
///
/// # Errors
/// When the model cannot be read or has errors.
pub fn instances(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Compiled, Error> {
    graph(reporter, path, options, &GraphRequest::Instances)
}

fn graph(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    kind: &GraphRequest<'_>,
) -> Result<Compiled, Error> {
    let sources = options.sources();
    let model = Model::new(path, options);
    let result = on_deep_stack(STACK_SIZE, || {
        with_outcome(&model, &sources, |outcome| {
            let (graph, mut notes, deployment) = match kind {
                GraphRequest::Instances => {
                    failures(outcome, &sources)?;
                    (explain::diagram(&outcome.net, &sources), Vec::new(), None)
                }
                GraphRequest::Resources(agent) => {
                    failures(outcome, &sources)?;
                    let lowered = outcome.lower(&sources, *agent, options.handlers);
                    let (lowered, deployment) =
                        lowered.map_err(|errors| outcome.messages_without_passwords(errors))?;
                    let notes = outcome.messages_without_passwords(lowered.notes);
                    (lowered.graph, notes, deployment)
                }
            };
            notes.extend(remarks(outcome, &sources));
            Ok((graph, notes, outcome.printed(), deployment))
        })
    })?;
    match result {
        Ok((graph, notes, printed, deployment)) => {
            reporter.output(&printed);
            reporter.diagnostics(notes, &sources);
            let handler_kinds = deployment
                .map(|deployment| Arc::new(HandlerKinds::new(deployment, &options.touched)));
            let handler_kinds = handler_kinds.into_iter().collect();
            Ok(Compiled { handler_kinds, ..Compiled::of_graph(graph, sources) })
        }
        Err(errors) => {
            reporter.diagnostics(errors, &sources);
            Err(Error::Reported)
        }
    }
}

/// Explains an instance of a model; `None` if the text names no instance.
///
/// # Errors
/// When the model cannot be read or has errors.
pub fn explain(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    text: &str,
) -> Result<Option<Explanation>, Error> {
    let sources = SourceMap::new();
    let model = Model::new(path, options);
    let found = on_deep_stack(STACK_SIZE, || {
        with_outcome(&model, &sources, |outcome| {
            failures(outcome, &sources)?;
            let subject = explain::subject(&outcome.net, text);
            Ok(subject.and_then(|subject| explain::explain(&outcome.net, &subject, &sources)))
        })
    })?;
    found.map_err(|errors: Vec<Diagnostic>| {
        reporter.diagnostics(errors, &sources);
        Error::Reported
    })
}

fn failures(outcome: &Outcome<'_>, sources: &SourceMap) -> Result<(), Vec<Diagnostic>> {
    match &outcome.error {
        Some(error) => Err(outcome.messages_without_passwords(diagnostics::errors(error, sources))),
        None => Ok(()),
    }
}

/// Warnings of the compile and lints.
fn remarks(outcome: &Outcome<'_>, sources: &SourceMap) -> Vec<Diagnostic> {
    let warnings = outcome.warnings().iter().map(|w| diagnostics::warning(w, sources));
    let lints = outcome.lints.iter().map(|lint| diagnostics::lint(lint, sources));
    outcome.messages_without_passwords(warnings.chain(lints).collect())
}

/// Compiles a model and calls `then` with the outcome. Needs a stack of [`STACK_SIZE`].
///
/// # Errors
/// When the model cannot be read.
pub fn with_outcome<T>(
    model: &Model<'_>,
    sources: &SourceMap,
    then: impl FnOnce(&mut Outcome<'_>) -> T,
) -> Result<T, Diagnostic> {
    let request = request(model, sources, model.world.as_ref())?;
    Ok(then(&mut session::compile(request)))
}

fn request<'w>(
    model: &Model<'_>,
    sources: &'w SourceMap,
    world: &'w dyn World,
) -> Result<Request<'w>, Diagnostic> {
    let is_directory = world.kind(model.path) == Some(EntryKind::Directory);
    let main = if is_directory { model.path.join("main.cf") } else { model.path.to_path_buf() };
    let bytes = world
        .read(&main)
        .map_err(|error| codes::io(&format!("cannot read {}", main.display()), &error))?;
    let text: Arc<str> = String::from_utf8(bytes)
        .map_err(|_| codes::io(&format!("cannot read {}", main.display()), &"it is not UTF-8"))?
        .into();
    let directory = main.parent().filter(|dir| !dir.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new(".")).to_path_buf();
    let mut request = Request::new(world, sources, &directory, &main, text);
    if world.kind(&directory.join("project.yml")).is_some() {
        let project = Project::read(world, &directory)
            .map_err(|error| Diagnostic::error(codes::FILE, error.message.clone()))?;
        request.modulepath = project.modulepath;
        request.precedence = project.precedence;
    }
    let full = std::path::absolute(&directory).unwrap_or(directory);
    request.environment = Environment::of(world, &full);
    request.settings = settings(world, &full, model.config.as_deref());
    request.settings.extend(model.settings.iter().cloned());
    request.project = full;
    request.modulepath.extend(model.modulepath.iter().cloned());
    request.autostd = model.has_std;
    if let Some(file) = &model.parameters {
        request.facts = facts(world, file)?;
    }
    Ok(request)
}

/// The facts in a file of parameters: resource, name and value. A file that does not exist has none.
///
/// # Errors
/// When the file cannot be read.
fn facts(world: &dyn World, file: &Path) -> Result<Vec<(String, String, Value)>, Diagnostic> {
    if world.kind(file).is_none() {
        return Ok(Vec::new());
    }
    let failed = |why: &dyn std::fmt::Display| {
        codes::io(&format!("cannot read the facts in {}", file.display()), why)
    };
    let bytes = world.read(file).map_err(|error| failed(&error))?;
    let known: BTreeMap<String, BTreeMap<String, Json>> =
        serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    for (resource, facts) in known {
        for (name, fact) in facts {
            if let Some(value) = fact["value"].as_str() {
                found.push((resource.clone(), name, Value::str(value)));
            }
        }
    }
    Ok(found)
}

/// Compiles a model to a text.
///
/// # Errors
/// When the model cannot be read. Errors in the model are diagnostics of the result.
pub fn export(model: &Model<'_>, form: Form, sources: &SourceMap) -> Result<Exported, Diagnostic> {
    on_deep_stack(STACK_SIZE, || {
        export_outcome(
            session::compile(request(model, sources, model.world.as_ref())?),
            form,
            sources,
        )
    })
}

fn export_outcome(
    mut outcome: Outcome<'_>,
    form: Form,
    sources: &SourceMap,
) -> Result<Exported, Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut further = Map::new();
    let mut resources = None;
    if let Some(error) = &outcome.error {
        diagnostics.extend(outcome.messages_without_passwords(diagnostics::errors(error, sources)));
    } else {
        match outcome.export() {
            Ok(exported) => {
                if matches!(form, Form::Model { .. }) {
                    further.insert("resources".into(), exported.json());
                }
                resources = Some(exported);
            }
            Err(error) => {
                further.insert("export_error".into(), json!({"msg": error.message}));
                diagnostics.extend(
                    outcome.messages_without_passwords(diagnostics::errors(&error, sources)),
                );
            }
        }
    }
    let has_failed = !diagnostics.is_empty();
    diagnostics.extend(remarks(&outcome, sources));
    let text = match form {
        Form::Model { has_secrets } => {
            let text = output::text(&outcome, &further, has_secrets);
            Some(text.map_err(|error| codes::io("cannot write the model", &error))?)
        }
        Form::Resources => resources.filter(|_| !has_failed).map(|resources| resources.text()),
    };
    if !outcome.python.is_used() {
        // The process ends soon, and the system reclaims all memory at once.
        std::mem::forget(outcome);
    }
    Ok(Exported { text, diagnostics, has_failed })
}

/// The modules of a project, a row each: name, format version, whether it is editable, version, the
/// version that the project requires, and whether that matches.
///
/// # Errors
/// When the model cannot be read.
pub fn modules(model: &Model<'_>) -> Result<Vec<Vec<String>>, Diagnostic> {
    let sources = SourceMap::new();

    let mut request = request(model, &sources, model.world.as_ref())?;
    request.check_only = true;
    let outcome = session::compile(request);
    let row = |module: &session::LoadedModule| {
        let is_installed = |path: &PathBuf| path.iter().any(|part| part == "site-packages");
        let is_edited = module.directory.as_ref().is_some_and(|path| !is_installed(path));
        let version = module.version.as_deref().unwrap_or("unknown");
        let (kind, edited) =
            (if module.is_old { "v1" } else { "v2" }, if is_edited { "yes" } else { "no" });
        [module.name.as_str(), kind, edited, version, "*", "yes"].map(str::to_owned).to_vec()
    };
    Ok(outcome.modules.iter().map(row).collect())
}
