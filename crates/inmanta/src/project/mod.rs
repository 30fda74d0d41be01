//! Loads projects: the main file, and modules in the order of their imports.

mod environment;
mod metadata;
mod settings;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use ordain_source::{EntryKind, SourceMap, World};
use rustc_hash::FxHashSet;

pub use environment::Environment;
pub use metadata::{Project, parse_rule, version};
pub use settings::{Setting, set, settings};

use crate::diagnostics::{Class, Error, Lint, Result, Warning, explanation};
use crate::model::plugin::Plugin;
use crate::model::program::Program;
use crate::syntax;
use crate::syntax::ast::{Definition, ImportDef};

/// A request to load a project.
pub struct LoadRequest<'a> {
    /// Files, environment and time.
    pub world: &'a dyn World,
    /// The directory of the project.
    pub project: PathBuf,
    /// The search path for modules of version 1.
    pub modulepath: Vec<PathBuf>,
    /// The Python environment with the modules of version 2.
    pub environment: Environment,
    /// Whether `std` is imported everywhere.
    pub autostd: bool,
    /// Prefixes of paths, with their replacements in messages.
    pub shown: Vec<(PathBuf, String)>,
    /// The texts for diagnostics. Files have the same numbers as in the program.
    pub sources: &'a SourceMap,
}

/// The location of a module.
#[derive(Clone, Debug)]
struct Module {
    /// Its directory.
    directory: PathBuf,
    /// The directory of its Python code.
    python: PathBuf,
    /// Whether it is a module of version 1.
    is_old: bool,
}

/// A loaded project.
#[derive(Default)]
pub struct LoadedProject {
    /// The modules with their directories.
    pub modules: Vec<(String, PathBuf)>,
    /// The Python files of the modules: namespace and path.
    pub python: Vec<(String, PathBuf)>,
    /// The modules of version 1.
    pub old: Vec<String>,
    /// The directories of packages that Python printed, if it was run.
    pub asked: Option<Vec<PathBuf>>,
    /// Code that is probably a mistake.
    pub lints: Vec<Lint>,
}

/// A namespace of a module: its name, and the number and the tree of its file.
type Member = (String, u32, syntax::ast::Unit);

/// The limit for files of a program.
const MAX_FILES: usize = 20_000;

impl LoadRequest<'_> {
    /// Loads the main file and all modules that it needs.
    ///
    /// # Errors
    /// The first file that cannot be read or parsed.
    pub fn load(
        &self,
        program: &mut Program,
        path: &Path,
        text: Arc<str>,
    ) -> Result<LoadedProject> {
        let mut loaded = LoadedProject::default();
        let mut done: FxHashSet<String> = FxHashSet::default();
        let mut groups: Vec<(String, Vec<Member>)> = Vec::new();
        let main = self.parse(program, "__config__", path, text, &mut loaded)?;
        let mut work = self.imports(program, "__config__", &main.1);
        let namespace = program.namespace("__config__");
        program.add_unit(namespace, main.0, main.1);
        while let Some((name, import)) = work.pop() {
            let parts: Vec<&str> = name.split("::").collect();
            for end in 1..=parts.len() {
                let prefix = parts[..end].join("::");
                if !done.insert(prefix.clone()) {
                    continue;
                }
                if done.len() > MAX_FILES {
                    return Err(Error::new(Class::Compiler, "the model has too many files"));
                }
                let (file, unit) = self
                    .load_namespace(program, &prefix, &mut loaded)
                    .map_err(|error| self.unloaded(program, error, &name, import))?;
                work.extend(self.imports(program, &prefix, &unit));
                match groups.iter_mut().find(|(module, _)| module == parts[0]) {
                    Some(group) => group.1.push((prefix, file, unit)),
                    None => groups.push((parts[0].to_owned(), vec![(prefix, file, unit)])),
                }
            }
        }
        for (_, files) in groups {
            for (name, file, unit) in files {
                let namespace = program.namespace(&name);
                program.add_unit(namespace, file, unit);
            }
        }
        Ok(loaded)
    }

    /// The error that a module does not exist.
    fn unloaded(
        &self,
        program: &Program,
        error: Box<Error>,
        module: &str,
        import: Option<ImportDef>,
    ) -> Box<Error> {
        let is_of_module = matches!(
            error.class,
            Class::ModuleNotFound
                | Class::InvalidModule
                | Class::ModuleV2InV1Path
                | Class::ModuleMetadataFileNotFound
        );
        if !is_of_module {
            return error;
        }
        let message = format!("Failed to load module {module}");
        let mut out = Error::new(Class::ModuleLoading, message).caused_by(error);
        if let Some(import) = import {
            let mut statement = format!("import {}", program.name(import.target.symbol));
            if import.alias.at != import.target.at {
                statement += &format!(" as {}", program.name(import.alias.symbol));
            }
            out = out.by(statement, import.at);
        }
        out
    }

    /// The imports of a file, with `std` before them.
    fn imports(
        &self,
        program: &Program,
        namespace: &str,
        unit: &syntax::ast::Unit,
    ) -> Vec<(String, Option<ImportDef>)> {
        let is_std = namespace == "std" || namespace.starts_with("std::");
        let mut out = Vec::new();
        if self.autostd && !is_std {
            out.push(("std".to_owned(), None));
        }
        for definition in &unit.definitions {
            if let Definition::Import(import) = definition {
                let name = program.name(import.target.symbol).to_owned();
                out.push((name, Some(*import)));
            }
        }
        out
    }

    fn shown(&self, path: &Path) -> PathBuf {
        for (prefix, shown) in &self.shown {
            if let Ok(rest) = path.strip_prefix(prefix) {
                return if rest.as_os_str().is_empty() {
                    PathBuf::from(shown)
                } else {
                    PathBuf::from(format!("{shown}/{}", rest.display()))
                };
            }
        }
        path.to_owned()
    }

    fn parse(
        &self,
        program: &mut Program,
        namespace: &str,
        path: &Path,
        text: Arc<str>,
        loaded: &mut LoadedProject,
    ) -> Result<(u32, syntax::ast::Unit)> {
        let text = with_plain_line_ends(text);
        let file = self.note(program, namespace, path, Arc::clone(&text));
        let unit = syntax::parse(&mut program.ast, &text, file, &mut loaded.lints)?;
        Ok((file, unit))
    }

    /// Registers a file, so that places can refer to it.
    fn note(&self, program: &mut Program, namespace: &str, path: &Path, text: Arc<str>) -> u32 {
        let shown = self.shown(path);
        let file = program.files.add(shown.display().to_string());
        self.sources.add(&shown, text);
        let id = program.namespace(namespace);
        program.file_namespaces.push(id);
        file
    }

    /// Registers the Python files of plugins, so that places can refer to them.
    pub(crate) fn note_plugins(&self, program: &mut Program, plugins: &[Rc<dyn Plugin>]) {
        for plugin in plugins {
            let file = &plugin.signature().file;
            if file.is_empty() || program.python_files.contains_key(file) {
                continue;
            }
            let number = self.note_python(program, Path::new(file));
            program.python_files.insert(file.clone(), number);
        }
    }

    /// Registers a Python file.
    pub(crate) fn note_python(&self, program: &mut Program, file: &Path) -> u32 {
        let shown = self.shown(file);
        let number = program.files.add(shown.display().to_string());
        let text = self.world.read(file).unwrap_or_default();
        self.sources.add(&shown, String::from_utf8_lossy(&text).into_owned());
        program.file_namespaces.push(0);
        number
    }

    /// Adds a module to those that are loaded, and warns if it is deprecated.
    fn register_module(
        &self,
        program: &mut Program,
        module: &str,
        found: &Module,
        loaded: &mut LoadedProject,
    ) {
        if loaded.modules.iter().any(|(known, _)| known == module) {
            return;
        }
        loaded.modules.push((module.to_owned(), found.directory.clone()));
        self.python(module, found, loaded);
        let mut warn = |class: &str, text: String| {
            program.warnings.push(Warning { class: class.into(), text, at: None });
        };
        if metadata::is_deprecated(self.world, &found.directory) {
            warn("ModuleDeprecationWarning", format!("Module {module} has been deprecated"));
        }
        if found.is_old {
            loaded.old.push(module.to_owned());
            warn(
                "InmantaWarning",
                format!(
                    "Loaded V1 module {module}. The use of V1 modules is deprecated. Use the \
                     equivalent V2 module instead."
                ),
            );
        }
    }

    fn load_namespace(
        &self,
        program: &mut Program,
        name: &str,
        loaded: &mut LoadedProject,
    ) -> Result<(u32, syntax::ast::Unit)> {
        let (module, rest) = name.split_once("::").unwrap_or((name, ""));
        if let Some(found) = self.find(module, loaded)? {
            self.register_module(program, module, &found, loaded);
            let mut base = found.directory.join("model");
            base.extend(rest.split("::").filter(|part| !part.is_empty()));
            let inside = base.join("_init.cf");
            let beside = base.with_extension("cf");
            let path = if rest.is_empty() || self.world.kind(&inside) == Some(EntryKind::File) {
                inside
            } else {
                beside
            };
            if let Ok(bytes) = self.world.read(&path) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                return self.parse(program, name, &path, text.into(), loaded);
            }
            let message = format!("could not locate module with name: {name}");
            let mut error = Error::new(Class::InvalidModule, message);
            error.python = Some(format!(
                "FileNotFoundError: [Errno 2] No such file or directory: {}",
                crate::value::string_repr(&path.display().to_string())
            ));
            return Err(error);
        }
        if let Some((file, text)) = crate::std::file(name) {
            return self.parse(program, name, Path::new(file), text.into(), loaded);
        }
        let message = if rest.is_empty() {
            format!(
                "Could not find module {module}. Please make sure to add any module v2 \
                 requirements with `inmanta module add --v2` and to install all the project's \
                 dependencies with `inmanta project install`."
            )
        } else {
            format!("could not locate module with name: {name}")
        };
        Err(Error::new(Class::ModuleNotFound, message))
    }

    /// Finds a module; installed ones come first.
    fn find(&self, module: &str, loaded: &mut LoadedProject) -> Result<Option<Module>> {
        if let Some(found) = self.installed(module, &self.environment.packages) {
            return Ok(Some(found));
        }
        for path in &self.modulepath {
            let directory = path.join(module);
            if !self.is_directory(&directory) {
                continue;
            }
            let has = |name: &str| self.world.kind(&directory.join(name)).is_some();
            if !has("module.yml") && has("setup.cfg") {
                let message = format!(
                    "Module at {} looks like a v2 module. Please have a look at the documentation \
                     on how to use v2 modules.",
                    directory.display()
                );
                let mut error = Error::new(Class::ModuleV2InV1Path, message);
                let name = metadata::name_of_package(self.world, &directory);
                let project = Project::read(self.world, &self.project);
                error.explanation = Some(explanation::new_module(
                    name.as_deref().unwrap_or(module),
                    &directory.display().to_string(),
                    project.is_ok_and(|project| project.has_package_source),
                ));
                return Err(error);
            }
            if !has("module.yml") {
                let file = directory.join("module.yml");
                let message = format!("Metadata file {} does not exist", file.display());
                return Err(Error::new(Class::ModuleMetadataFileNotFound, message));
            }
            let python = directory.join("plugins");
            return Ok(Some(Module { directory, python, is_old: true }));
        }
        if crate::std::file(module).is_some() {
            return Ok(None);
        }
        // Python is run only as the last resort, since that takes longer than most compiles.
        if loaded.asked.is_none() {
            loaded.asked = Some(self.environment.asked(self.world));
        }
        Ok(self.installed(module, loaded.asked.as_deref().unwrap_or_default()))
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.world.kind(path) == Some(EntryKind::Directory)
    }

    /// Finds a module in the directories of packages.
    fn installed(&self, module: &str, packages: &[PathBuf]) -> Option<Module> {
        // The module `std` is built in.
        if module == "std" {
            return None;
        }
        for root in packages {
            let python = root.join("inmanta_plugins").join(module);
            if !self.is_directory(&python) {
                continue;
            }
            // An editable package has the model beside the Python code.
            let mut places = [python.clone(), root.clone()].into_iter();
            if let Some(directory) = places.find(|at| self.is_directory(&at.join("model"))) {
                return Some(Module { directory, python, is_old: false });
            }
        }
        None
    }

    /// Adds the Python files of a module.
    fn python(&self, module: &str, found: &Module, loaded: &mut LoadedProject) {
        let root = &found.python;
        let Ok(entries) = self.world.list(root) else { return };
        for (name, kind) in entries {
            if kind == EntryKind::File
                && let Some(stem) = name.strip_suffix(".py")
            {
                let namespace = match stem {
                    "__init__" => module.to_owned(),
                    _ => format!("{module}::{stem}"),
                };
                loaded.python.push((namespace, root.join(&name)));
            }
        }
    }
}

/// A text with the line ends that the parser knows.
pub(crate) fn with_plain_line_ends(text: Arc<str>) -> Arc<str> {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text,
    }
}
