//! Environments: modules, site program, and the loading of names on demand.
//!
//! All compiles of an environment share an [`Environment`]: every file is parsed once, every name
//! is searched once. Upstream's rule decides which file may define a name (language specification,
//! "The catalog and autoloading"): `m::a::b` is in `m/manifests/a/b.pp`, else in `a.pp`, else in
//! `init.pp`.

mod environment;
mod erb_template;
mod files;
mod folders;
pub mod generated_types;
mod inputs;
pub(crate) mod literal_part;
mod missing;
mod module_files;
mod modules;
pub mod native_type;
pub(crate) mod node_names;
mod registry;
mod ruby_datatypes;
mod ruby_functions;
pub(crate) mod ruby_source;
mod ruby_types;
mod signatures;
pub mod version;

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use ecow::EcoString;
use ordain_source::inputs::{Aspect, Definition, note_definition, note_path};
use ordain_source::{Diagnostic, Severity, Span};
use rustc_hash::FxBuildHasher;

pub(crate) use missing::NameKind;
pub use modules::{Module, bolt_modulepath, manifest_files};
pub use ruby_functions::{RubyDispatch, RubyParam, RubySignature};
pub use ruby_types::RubyType;

use crate::error::{EvalError, EvalResult, Step};
pub use crate::load::environment::{Environment, GENERATED_TYPES, Options, Site};
pub use crate::load::erb_template::ErbTemplate;
use crate::load::literal_part::given_part;
use crate::load::registry::Registry;
pub use crate::load::registry::{LoadedFile, duplicate};
pub use crate::load::ruby_source::RubyFile;
pub(crate) use crate::load::ruby_source::RubySource;
use crate::syntax::definitions::{AliasDef, DefKind, FunctionDef, ModelDef, TypeDef};
use crate::syntax::{self, Expr, Program};
use crate::validation;

impl Environment {
    /// Opens an environment: lists modules and parses the site program.
    ///
    /// # Errors
    /// Every error of the site program.
    pub fn open(options: Options) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut env = Self {
            modules: modules::list(options.world.as_ref(), &options.modulepath),
            modulepath: options.modulepath,
            world: options.world,
            sources: options.sources,
            name: options.name,
            dir: options.dir,
            hiera_config: options.hiera_config,
            config_version: Default::default(),
            hiera: crate::hiera::Files::default(),
            ruby: options.ruby,
            has_native_functions: true,
            site: Vec::new(),
            nodes: Vec::new(),
            strict: options.strict,
            registry: RwLock::new(Registry::knowing(options.kinds)),
            signatures: signatures::Signatures::default(),
            folders: environment::Folders::default(),
        };
        let warnings = env.load_site(&options.site)?;
        Ok((env, warnings))
    }

    fn load_site(&mut self, site: &Site) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        let mut files = Vec::new();
        match site {
            Site::Nothing => {}
            Site::Code(text) => files.push(self.parse("", text, None)),
            Site::Path(path) => {
                for path in manifest_files(self.world.as_ref(), path) {
                    match self.read_text(&path) {
                        Ok(text) => files.push(self.parse(&path, &text, None)),
                        Err(error) => errors.push(*error),
                    }
                }
            }
        }
        for file in files {
            errors.extend(file.errors.iter().cloned());
            warnings.extend(file.warnings.iter().cloned());
            if file.errors.is_empty() {
                errors.extend(self.register(&file.program, ""));
            }
            self.site.push(Arc::clone(&file.program));
        }
        if errors.is_empty() { Ok(warnings) } else { Err(errors) }
    }

    /// Parses and validates a text, unless an earlier compile with the same sources did.
    /// `module_file` describes the definitions that a file of a module may have.
    fn parse(
        &self,
        path: impl AsRef<Path>,
        text: &str,
        module_file: Option<validation::ModuleFile>,
    ) -> Arc<LoadedFile> {
        let options = validation::Options {
            strict: self.strict,
            module_file,
            ..validation::Options::default()
        };
        let parse = |file, text| Self::loaded(syntax::parse(file, text), &options);
        let context = FxBuildHasher.hash_one((self.strict, &options.module_file));
        self.sources.parsed(path.as_ref(), text.into(), context, parse).1
    }

    fn loaded(parsed: syntax::Parsed, options: &validation::Options) -> LoadedFile {
        let mut diagnostics = parsed.diagnostics;
        let sound = |found: &[Diagnostic]| found.iter().all(|d| d.severity != Severity::Error);
        if sound(&diagnostics) {
            diagnostics.extend(validation::validate(&parsed.program, options));
        }
        if sound(&diagnostics) {
            diagnostics.extend(validation::metaparameters(&parsed.program));
        }
        let (errors, warnings) =
            diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
        LoadedFile { program: Arc::new(parsed.program), errors, warnings }
    }

    /// Registers the definitions of a text; returns an error for each duplicate.
    fn register(&mut self, program: &Arc<Program>, module: &str) -> Vec<Diagnostic> {
        let mut nodes = std::mem::take(&mut self.nodes);
        let errors = self.registry_mut().add(program, module, &mut nodes, &|s| self.first_place(s));
        self.nodes = nodes;
        errors
    }

    /// The place of a first definition, as messages have it.
    fn first_place(&self, first: Span) -> String {
        let file = self.sources.file(first.file);
        let line = file.line(first.range.start);
        match file.has_path() {
            true => format!(" (file: {}, line: {line})", file.path.display()),
            false => format!(" (line: {line})"),
        }
    }

    fn registry(&self) -> std::sync::RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(|e| e.into_inner())
    }

    fn registry_mut(&self) -> std::sync::RwLockWriteGuard<'_, Registry> {
        self.registry.write().unwrap_or_else(|e| e.into_inner())
    }

    /// The class or define of this name in lower case, loaded from its module if necessary.
    ///
    /// # Errors
    /// When a file that may define it does not parse.
    pub fn find_type(&self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        self.find(
            Definition::Class,
            name,
            |r| r.types.get(name).cloned(),
            |env| env.load_type(name),
        )
    }

    /// The class of this name in lower case.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_class(&self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        Ok(self.find_type(name)?.filter(|d| d.kind == DefKind::Class))
    }

    /// The define of this name in lower case.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_define(&self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        Ok(self.find_type(name)?.filter(|d| d.kind == DefKind::Define))
    }

    /// The function of this name.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_function(&self, name: &str) -> EvalResult<Option<Arc<FunctionDef>>> {
        self.find(
            Definition::Function,
            name,
            |r| r.functions.get(name).cloned(),
            |env| env.load_one(name, "functions"),
        )
    }

    /// The function of this name if it is registered, as those of the site program are.
    pub fn known_function(&self, name: &str) -> Option<Arc<FunctionDef>> {
        note_definition(Definition::Function, name);
        self.registry().functions.get(name).cloned()
    }

    /// Whether there is a module of this name.
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.contains_key(name)
    }

    /// The type alias of this name in lower case.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_alias(&self, name: &str) -> EvalResult<Option<Arc<AliasDef>>> {
        let load = |env: &Self| {
            env.load_one(name, "types")?;
            if env.registry().aliases.contains_key(name) { Ok(()) } else { env.load_datatype(name) }
        };
        self.find(Definition::Alias, name, |r| r.aliases.get(name).cloned(), load)
    }

    /// The type with features of this name in lower case.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_model(&self, name: &str) -> EvalResult<Option<Arc<ModelDef>>> {
        self.find(
            Definition::Model,
            name,
            |r| r.models.get(name).cloned(),
            |env| env.load_one(name, "types"),
        )
    }

    /// The type with features of this name in lower case, if its file was read.
    pub fn known_model(&self, name: &str) -> Option<Arc<ModelDef>> {
        note_definition(Definition::Model, name);
        self.registry().models.get(name).cloned()
    }

    /// The types with features that were read so far, in the order of reading.
    pub fn known_models(&self) -> Vec<Arc<ModelDef>> {
        let models: Vec<_> = self.registry().models.values().cloned().collect();
        for model in &models {
            note_path(Aspect::Content, &self.sources.file(model.program.file).path);
        }
        models
    }

    fn find<T>(
        &self,
        kind: Definition,
        name: &str,
        get: impl Fn(&Registry) -> Option<T>,
        load: impl FnOnce(&Self) -> EvalResult<()>,
    ) -> EvalResult<Option<T>> {
        let key = (kind, EcoString::from(name));
        {
            let registry = self.registry();
            if let Some(found) = get(&registry) {
                note_definition(kind, name);
                return Ok(Some(found));
            }
            if let Some(has_files) = registry.missing.get(&key) {
                // Most names are those of types that the program has itself.
                if *has_files {
                    note_definition(kind, name);
                }
                return Ok(None);
            }
        }
        note_definition(kind, name);
        load(self)?;
        let found = get(&self.registry());
        if found.is_none() {
            // Without a module of this name, only the list of modules decides.
            let module = name.split("::").next().unwrap_or_default();
            let has_files = kind != Definition::Class || self.modules.contains_key(module);
            self.registry_mut().missing.insert(key, has_files);
        }
        Ok(found)
    }

    /// Reads, in order, the files of a module that may define a class or define.
    fn load_type(&self, name: &str) -> EvalResult<()> {
        let module = name.split("::").next().unwrap_or_default();
        let Some(module) = self.modules.get(module) else { return Ok(()) };
        for (count, path) in self.class_files(name).iter().enumerate() {
            self.load_file(path, module, "manifests")?;
            // Any definition of the module may be in `init.pp`; the next file is read all the same.
            if count > 0 && self.registry().types.contains_key(name) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The files of a module that may define a class or define, in the order of the search.
    fn class_files(&self, name: &str) -> Vec<PathBuf> {
        let mut segments = name.split("::").collect::<Vec<_>>();
        let Some(module) = self.modules.get(segments[0]) else { return Vec::new() };
        let dir = module.dir.join("manifests");
        let mut files = vec![dir.join("init.pp")];
        segments.remove(0);
        while !segments.is_empty() {
            let mut path = dir.join(segments.join("/"));
            path.as_mut_os_string().push(".pp");
            files.push(path);
            segments.pop();
        }
        files
    }

    /// The program of a module's `init.pp`, if it was read.
    pub(crate) fn module_program(&self, module: &str) -> Option<Arc<Program>> {
        let path = self.modules.get(module)?.dir.join("manifests/init.pp");
        let registry = self.registry();
        registry.files.get(&path)?.get()?.as_ref().ok()?.clone()
    }

    /// The part of an attribute's value at a path. The place identifies the attribute.
    pub(crate) fn value_part(&self, attribute: Span, path: &[Step]) -> Option<Span> {
        let registry = self.registry();
        let read = registry.files.values().filter_map(|slot| slot.get()?.as_ref().ok()?.as_ref());
        let program = self.site.iter().chain(read).find(|p| p.file == attribute.file)?;
        let mut attributes = program.attributes.iter().map(|(_, attribute)| attribute);
        let written = attributes.find(|written| written.range == attribute.range)?;
        Some(program.span(given_part(program, written.value, path)))
    }

    /// The place of the reference left or right of an arrow; `None` if the operand is something
    /// else.
    pub(crate) fn relation_end(&self, arrow: Span, is_right: bool) -> Option<Span> {
        let registry = self.registry();
        let read = registry.files.values().filter_map(|slot| slot.get()?.as_ref().ok()?.as_ref());
        let program = self.site.iter().chain(read).find(|p| p.file == arrow.file)?;
        let (left, right) = program.exprs.iter().find_map(|(id, expr)| match expr {
            Expr::Relation { left, right, .. } if program.range(id) == arrow.range => {
                Some((*left, *right))
            }
            _ => None,
        })?;
        let end = match (is_right, &program[left]) {
            (true, _) => right,
            // Of a chain the nearest.
            (false, Expr::Relation { right, .. }) => *right,
            (false, _) => left,
        };
        matches!(program[end], Expr::Access(_)).then(|| program.span(end))
    }

    /// Reads the one file of a module, or of the environment itself, that may define a name.
    ///
    /// The files of the environment define names without a module, and those of the namespace
    /// `environment`, whose directory is part of the path.
    fn load_one(&self, name: &str, folder: &str) -> EvalResult<()> {
        match self.definition_file(name, folder) {
            Some((module, path)) => self.load_file(&path, &module, folder),
            None => Ok(()),
        }
    }

    fn definition_file(&self, name: &str, folder: &str) -> Option<(Cow<'_, Module>, PathBuf)> {
        if let Some(module) = self.modules.get(name).filter(|_| folder == "types") {
            return Some((Cow::Borrowed(module), module.dir.join("types/init_typeset.pp")));
        }
        let (module, rest) = name.split_once("::").unwrap_or(("", name));
        let (module, rest) = match (self.modules.get(module), &self.dir) {
            (Some(module), _) => (Cow::Borrowed(module), rest),
            (None, Some(dir)) if module.is_empty() || module == "environment" => {
                (Cow::Owned(Module { name: EcoString::new(), dir: dir.clone() }), name)
            }
            _ => return None,
        };
        let path = module.dir.join(folder).join(format!("{}.pp", rest.replace("::", "/")));
        Some((module, path))
    }

    /// Registers the definitions of a text that is not in a file.
    ///
    /// # Errors
    /// For each duplicate definition.
    pub fn define(&self, program: &Arc<Program>) -> Vec<Diagnostic> {
        let mut nodes = Vec::new();
        self.registry_mut().add(program, "", &mut nodes, &|s| self.first_place(s))
    }

    /// Names of all known classes and defines, for suggestions.
    pub fn type_names(&self, kind: DefKind) -> Vec<EcoString> {
        let registry = self.registry();
        let mut names: Vec<_> =
            registry.types.values().filter(|d| d.kind == kind).map(|d| d.name.clone()).collect();
        names.sort();
        names
    }

    /// The names of all registered functions in Puppet, for suggestions.
    pub fn function_names(&self) -> Vec<EcoString> {
        let mut names: Vec<_> = self.registry().functions.keys().cloned().collect();
        names.sort();
        names
    }
}

fn failed_file(diagnostics: Vec<Diagnostic>) -> EvalError {
    let first = diagnostics.first();
    let message = first.map(|d| d.message.clone()).unwrap_or_default();
    EvalError {
        issue: first.and_then(|d| d.issue.clone()),
        span: first.and_then(Diagnostic::peer_span),
        line_only: false,
        diagnostics,
        ..EvalError::without_place(message)
    }
}

/// A span's file name for messages, as the user gave it.
pub fn file_name(env: &Environment, span: Span) -> String {
    env.sources.file(span.file).path.display().to_string()
}

/// The name that a file of a module may define: `m/manifests/a/b.pp` defines `m::a::b`.
pub fn namespace_of(module: &str, root: &Path, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(root).ok()?.to_string_lossy();
    let file = rest.rfind('/').map_or(0, |at| at + 1);
    let stem = match rest[file..].rfind('.') {
        None | Some(0) => &rest[..],
        Some(at) => &rest[..file + at],
    };
    let mut name = String::with_capacity(module.len() + stem.len() + 8);
    name.push_str(module);
    if !module.is_empty() && matches!(stem, "init" | "init_typeset") {
        return Some(name);
    }
    for part in stem.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if !name.is_empty() {
            name.push_str("::");
        }
        match part.is_ascii() {
            true => name.extend(part.chars().map(|c| c.to_ascii_lowercase())),
            false => name.push_str(&part.to_lowercase()),
        }
    }
    Some(name)
}
