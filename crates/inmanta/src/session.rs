//! Compiles a model: from the main file to the outcome.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use ordain_plugins::Limits;
use ordain_source::{Diagnostic, SourceMap, World, budget};
use serde_json::Value as Json;

use crate::diagnostics::{self, Error, Lint, Warning};
use crate::eval::{DEFAULT_LIMIT, Net, Settings};
use crate::functions::std_plugins;
use crate::location::Location;
use crate::lower::{Handlers, Lowered, is_secret_name};
use crate::model::plugin::{Context, Plugin};
use crate::model::program::{Dataclass, Program};
use crate::model::resource::Export;
use crate::project::{Environment, LoadRequest};
use crate::python::{Deployment, Module, Python, Setup};
use crate::value::Value;

/// A request to compile a model.
pub struct Request<'w> {
    /// Files, environment and time.
    pub world: &'w dyn World,
    /// The texts for diagnostics.
    pub sources: &'w SourceMap,
    /// The directory of the project.
    pub project: PathBuf,
    /// The main file.
    pub main: PathBuf,
    /// The text of the main file.
    pub text: Arc<str>,
    /// The search path for modules of version 1.
    pub modulepath: Vec<PathBuf>,
    /// The Python environment of the project.
    pub environment: Environment,
    /// Whether `std` is imported everywhere.
    pub autostd: bool,
    /// Rules for the order in which relations are frozen.
    pub precedence: Vec<[String; 4]>,
    /// Prefixes of paths, with their replacements in messages.
    pub shown: Vec<(PathBuf, String)>,
    /// Facts of resources.
    pub facts: Vec<(String, String, Value)>,
    /// Settings of the compiler.
    pub settings: Vec<(String, String, String)>,
    /// Further plugins beside the built-in ones.
    pub plugins: Vec<Rc<dyn Plugin>>,
    /// The limits of a call of Python code.
    pub limits: Limits,
    /// Checks the model without running it.
    pub check_only: bool,
}

impl<'w> Request<'w> {
    /// Creates a request for a main file, with default options.
    pub fn new(
        world: &'w dyn World,
        sources: &'w SourceMap,
        project: impl Into<PathBuf>,
        main: impl AsRef<Path>,
        text: impl Into<Arc<str>>,
    ) -> Self {
        Self {
            world,
            sources,
            project: project.into(),
            main: main.as_ref().to_path_buf(),
            text: text.into(),
            modulepath: Vec::new(),
            environment: Environment::default(),
            autostd: true,
            precedence: Vec::new(),
            shown: Vec::new(),
            facts: Vec::new(),
            settings: Vec::new(),
            plugins: Vec::new(),
            limits: Limits::default(),
            check_only: false,
        }
    }
}

/// The outcome of a compile.
pub struct Outcome<'w> {
    /// The program, as far as the compile got.
    pub net: Net<'w>,
    /// The error, if there was one.
    pub error: Option<Box<Error>>,
    /// Code that is probably a mistake.
    pub lints: Vec<Lint>,
    /// The Python code of its modules.
    pub python: Rc<Python>,
    /// The modules that were loaded.
    pub modules: Vec<LoadedModule>,
}

/// A module that was loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedModule {
    /// Its name.
    pub name: String,
    /// Its directory; none if it is built in.
    pub directory: Option<PathBuf>,
    /// Whether it is of version 1.
    pub is_old: bool,
    /// Its version, if it has one.
    pub version: Option<String>,
}

impl Outcome<'_> {
    /// Runs a model that was only checked, as far as that needs no plugins beyond those of `std` that
    /// only compute.
    ///
    /// # Errors
    /// The errors that every run has.
    pub fn run_in_check(&mut self) -> diagnostics::Result<()> {
        self.net.run_in_check(budget::with_input(MEMORY_OF_CHECK))
    }

    /// The warnings, each once.
    pub fn warnings(&self) -> &[Warning] {
        &self.net.program.warnings
    }

    /// The resources of the model.
    ///
    /// # Errors
    /// If a resource cannot be exported.
    pub fn export(&mut self) -> diagnostics::Result<Export> {
        crate::export::export(&mut self.net, Some(&self.python))
    }

    /// Lowers the resources of an agent, or of this machine, to a graph. If handlers deploy some of
    /// them, the description of their process comes with it.
    ///
    /// # Errors
    /// If a resource cannot be exported or deployed here.
    pub fn lower(
        &mut self,
        sources: &SourceMap,
        agent: Option<&str>,
        handlers: Handlers,
    ) -> Result<(Lowered, Option<Deployment>), Vec<Diagnostic>> {
        self.python.want_files();
        let exported = self.export().map_err(|error| diagnostics::errors(&error, sources))?;
        let mut lowered = crate::lower::lower(&self.net, &exported, sources, agent, handlers)?;
        let warnings = exported.warnings.into_iter();
        lowered.notes.extend(warnings.map(|text| Diagnostic::warning("inmanta::warning", text)));
        let deployment = (!lowered.handled.is_empty()).then(|| {
            let agent = lowered.agent.as_deref().unwrap_or_default();
            let files = exported.files.into_iter();
            let files: HashMap<_, _> =
                files.filter(|(digest, _)| lowered.files.contains(digest)).collect();
            let is_secret =
                |content: &Vec<u8>| self.net.secrets.is_in_text(&String::from_utf8_lossy(content));
            let has_secrets = files.values().any(is_secret);
            let world = self.net.world();
            let mut made = self.python.deployment(world, agent, &lowered.handled, &files);
            let settings = made.environment.get("settings").and_then(Json::as_object);
            let sections = settings.into_iter().flatten();
            let mut entries = sections.filter_map(|(_, entries)| entries.as_object()).flatten();
            made.is_secret = has_secrets || entries.any(|(name, _)| is_secret_name(name));
            made
        });
        Ok((lowered, deployment))
    }

    /// Removes the passwords of the model from a text.
    pub fn without_passwords(&self, text: String) -> String {
        match self.net.secrets.redactor() {
            Some(passwords) => passwords.redact(&text).into_owned(),
            None => text,
        }
    }

    /// Removes the passwords of the model from messages.
    pub fn messages_without_passwords(&self, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if let Some(passwords) = self.net.secrets.redactor() {
            for text in found.iter_mut().flat_map(Diagnostic::texts_mut) {
                *text = passwords.redact(text).into_owned();
            }
        }
        found
    }

    /// The output of the model, without its passwords.
    pub fn printed(&self) -> String {
        self.without_passwords(self.net.stdout().to_owned())
    }
}

/// The memory that every model may take, in bytes. The size of its files adds to it.
const BASE_MEMORY: usize = 112 << 20;

/// The memory that a model may take in a check, in bytes: an editor checks after each key.
const MEMORY_OF_CHECK: usize = 12 << 20;

/// Compiles a model.
pub fn compile<'w>(request: Request<'w>) -> Outcome<'w> {
    let mut program = Program::default();
    program.namespace("__config__");
    let python = Python::new(python_setup(&request), request.limits);
    let loading = LoadRequest {
        world: request.world,
        project: request.project.clone(),
        modulepath: request.modulepath,
        environment: request.environment,
        autostd: request.autostd,
        shown: request.shown,
        sources: request.sources,
    };
    let loaded = loading.load(&mut program, &request.main, Arc::clone(&request.text));
    let (loaded, mut error) = match loaded {
        Ok(loaded) => (loaded, None),
        Err(error) => (crate::project::LoadedProject::default(), Some(error)),
    };
    if error.is_none() {
        let mut plugins: Vec<Rc<dyn Plugin>> = Vec::new();
        if program.namespace_numbers.contains_key("std") {
            plugins.extend(std_plugins().into_iter().map(|p| Rc::new(p) as Rc<dyn Plugin>));
        }
        plugins.extend(request.plugins);
        error = define(&mut program, plugins, &python, &loading, &loaded).err();
    }
    let modules = modules(request.world, &program, &loaded);
    let limit = request.world.env("INMANTA_MAX_ITERATIONS").and_then(|text| text.parse().ok());
    let settings = Settings {
        world: request.world,
        project: request.project,
        modules: loaded.modules,
        precedence: request.precedence,
        facts: request.facts,
        identities: python.identities(),
        settings: request.settings,
        limit: limit.unwrap_or_else(|| budget::scaled(DEFAULT_LIMIT)),
        max_bytes: budget::with_input(BASE_MEMORY),
        is_check: false,
    };
    let mut net = Net::new(program, settings);
    for line in python.take_printed().lines() {
        net.print(line);
    }
    if error.is_none() {
        error = net.normalize().err();
    }
    if error.is_none() && !request.check_only {
        error = net.run().err();
        if python.is_used() {
            let finished = python.finish(&mut net).err();
            error = error.or(finished);
            net.program.warnings.extend(python_warnings(&python));
        }
    }
    Outcome { net, error, lints: loaded.lints, python, modules }
}

/// Registers the definitions of a model, with these plugins and those of its modules.
fn define(
    program: &mut Program,
    mut plugins: Vec<Rc<dyn Plugin>>,
    python: &Rc<Python>,
    loading: &LoadRequest<'_>,
    loaded: &crate::project::LoadedProject,
) -> diagnostics::Result<()> {
    match python.load(loading.world, &python_modules(loaded)) {
        Ok(found) => {
            plugins.extend(found);
            loading.note_plugins(program, &plugins);
            program.define(&plugins)?;
            pair(program, python, loading.world)?;
            program.warnings.extend(python_warnings(python));
            Ok(())
        }
        Err(found) => {
            let place = found
                .place
                .map(|(file, line)| Location::line(loading.note_python(program, &file), line));
            Err(place.into_iter().fold(found.error, Error::at))
        }
    }
}

/// Takes the warnings of Python code.
fn python_warnings(python: &Python) -> impl Iterator<Item = Warning> {
    let warnings = python.take_warnings().into_iter();
    warnings.map(|(class, text)| Warning { class: class.into(), text, at: None })
}

/// Finds the Python classes of dataclasses.
fn pair(program: &mut Program, python: &Python, world: &dyn World) -> diagnostics::Result<()> {
    let wanted = program.dataclass_entities();
    let name = |id: &u32| program.entities[*id as usize].full_name.as_str();
    let names: Vec<&str> = wanted.iter().map(name).collect();
    let classes = python.classes(world, &names)?;
    // The original ignores entities without a class.
    let found = wanted.into_iter().zip(classes).filter(|(_, class)| class.name.is_some());
    let dataclass = |(id, class)| (id, Dataclass { class, fields: Vec::new() });
    program.dataclasses = found.map(dataclass).collect();
    Ok(())
}

/// The modules of a program, in order of their names.
fn modules(
    world: &dyn World,
    program: &Program,
    loaded: &crate::project::LoadedProject,
) -> Vec<LoadedModule> {
    let mut out: Vec<LoadedModule> = loaded
        .modules
        .iter()
        .map(|(name, directory)| LoadedModule {
            name: name.clone(),
            directory: Some(directory.clone()),
            is_old: loaded.old.contains(name),
            version: crate::project::version(world, directory),
        })
        .collect();
    if program.namespace_numbers.contains_key("std") {
        let version = Some(crate::std::VERSION.to_owned());
        out.push(LoadedModule { name: "std".into(), directory: None, is_old: false, version });
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// The description of the project for the Python child.
fn python_setup(request: &Request<'_>) -> Setup {
    let mut settings: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for (section, key, value) in &request.settings {
        let entry = (key.clone(), value.clone());
        match settings.iter_mut().find(|(known, _)| known == section) {
            Some((_, entries)) => entries.push(entry),
            None => settings.push((section.clone(), vec![entry])),
        }
    }
    let name = request.project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Setup {
        modulepath: request.modulepath.clone(),
        project: request.project.clone(),
        name,
        interpreters: request.environment.interpreter.iter().cloned().collect(),
        settings,
    }
}

/// The modules with their Python code.
fn python_modules(loaded: &crate::project::LoadedProject) -> Vec<Module> {
    let python = |name: &str| {
        let (_, path) = loaded.python.iter().find(|(namespace, _)| {
            namespace.split("::").next().is_some_and(|module| module == name)
        })?;
        path.parent().map(Path::to_path_buf)
    };
    let module = |(name, directory): &(String, PathBuf)| Module {
        name: name.clone(),
        directory: directory.clone(),
        python: python(name),
    };
    loaded.modules.iter().map(module).collect()
}
