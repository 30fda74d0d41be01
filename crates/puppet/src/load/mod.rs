//! Environments: modules, site program, and the loading of names on demand.
//!
//! An [`Environment`] is shared by all compiles of it: every file is parsed once, every name is
//! looked for once. Which file may define a name is upstream's rule (language specification, "The
//! catalog and autoloading"): `m::a::b` stands in `m/manifests/a/b.pp`, else `a.pp`, else `init.pp`.

mod files;
mod folders;
pub mod generated_types;
mod missing;
mod modules;
pub mod native_type;
mod ruby_datatypes;
mod ruby_functions;
mod ruby_types;
mod signatures;

use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_source::{Diagnostic, Severity, SourceMap, Span, World};
use rustc_hash::{FxBuildHasher, FxHashMap};

pub(crate) use missing::Named;
pub use modules::{Module, bolt_modulepath};
pub use ruby_functions::{RubyDispatch, RubyParam, RubySignature};
pub use ruby_types::RubyType;

use crate::error::{EvalError, EvalResult, Step};
use crate::eval::{Strict, given_part};
use crate::plugins::{RubyFile, RubySource};
use crate::syntax::definitions::{
    AliasDef, DefKind, Defined, FunctionDef, Item, ModelDef, NodeDef, TypeDef, items,
};
use crate::syntax::{self, Expr, Program};
use crate::validation;

/// The source text of the site program.
#[derive(Clone, Debug)]
pub enum Site {
    /// A text without a file.
    Code(String),
    /// A file, or a directory whose `.pp` files are read in order.
    Path(PathBuf),
    /// None.
    Nothing,
}

/// How to open an environment.
pub struct Options {
    /// Files, processes, time.
    pub world: Arc<dyn World>,
    /// Where source texts go.
    pub sources: Arc<SourceMap>,
    /// Its name.
    pub name: EcoString,
    /// Its directory, if it has one.
    pub dir: Option<PathBuf>,
    /// Where modules are, first wins.
    pub modulepath: Vec<PathBuf>,
    /// The site program.
    pub site: Site,
    /// The `hiera.yaml` of the global layer.
    pub hiera_config: Option<PathBuf>,
    /// What questionable code gives.
    pub strict: Strict,
    /// Resource types that neither a module nor this program has, by their names in lower case.
    pub kinds: Vec<(EcoString, RubyType)>,
}

impl Options {
    /// An environment without directory, modules and data, whose source texts are its own.
    pub fn new(world: Arc<dyn World>, site: Site) -> Self {
        Self {
            world,
            sources: Arc::new(SourceMap::new()),
            name: "production".into(),
            dir: None,
            modulepath: Vec::new(),
            site,
            hiera_config: None,
            strict: Strict::Error,
            kinds: Vec::new(),
        }
    }
}

/// What all compiles of one environment share.
pub struct Environment {
    /// Files, processes, time.
    pub world: Arc<dyn World>,
    /// All source texts.
    pub sources: Arc<SourceMap>,
    /// Its name, such as `production`.
    pub name: EcoString,
    /// Its directory, if it has one.
    pub dir: Option<PathBuf>,
    /// Where modules are, first wins.
    pub modulepath: Vec<PathBuf>,
    /// The modules by name; of two of the same name the first on the path.
    pub modules: IndexMap<EcoString, Module, FxBuildHasher>,
    /// The `hiera.yaml` of the global layer, if there is one.
    pub hiera_config: Option<PathBuf>,
    /// The version of its catalogs.
    pub config_version: crate::catalog::version::ConfigVersion,
    /// What Hiera has read of configurations and data files.
    pub hiera: crate::hiera::Files,
    /// The process that runs the Ruby code of modules.
    pub ruby: ordain_plugins::Ruby,
    /// Whether functions in Ruby run without that process where they can.
    pub has_native_functions: bool,
    /// The site program: its texts in order.
    pub site: Vec<Arc<Program>>,
    /// Node blocks in order.
    pub nodes: Vec<Arc<NodeDef>>,
    strict: Strict,
    registry: RwLock<Registry>,
    /// Parameters whose types are the same for every node.
    pub(crate) signatures: signatures::Signatures,
    /// What the folders of Ruby code list.
    folders: folders::Folders,
}

/// What is made of files, by whichever compile wants it first; the others wait for it.
type Slots<T> = FxHashMap<PathBuf, Arc<OnceLock<T>>>;

#[derive(Default)]
struct Registry {
    types: FxHashMap<EcoString, Arc<TypeDef>>,
    functions: FxHashMap<EcoString, Arc<FunctionDef>>,
    /// By names in lower case.
    aliases: FxHashMap<EcoString, Arc<AliasDef>>,
    /// By names in lower case.
    models: IndexMap<EcoString, Arc<ModelDef>, FxBuildHasher>,
    /// Resource types of modules, by names in lower case; `None` where there is none.
    ruby_types: FxHashMap<EcoString, Option<Arc<RubyType>>>,
    /// The names that node blocks match, with their places.
    node_names: FxHashMap<EcoString, Span>,
    /// Functions in Ruby; `None` where there is none.
    ruby_functions: FxHashMap<EcoString, Option<Arc<RubyFile>>>,
    /// Files of modules, each read by the first compile that wants it. What is in them, or that
    /// they are not there, is in the maps of names.
    files: Slots<Result<Option<Arc<Program>>, Vec<Diagnostic>>>,
    /// Files as manifests get them.
    contents: files::Contents,
    /// Whether there is a template.
    is_template: Slots<bool>,
    templates: Slots<Result<Arc<LoadedFile>, String>>,
    ruby_sources: Slots<Option<Arc<RubySource>>>,
    erb: Slots<Result<Arc<ErbTemplate>, String>>,
    inline_erb: FxHashMap<EcoString, Arc<ErbTemplate>>,
    /// Names that were looked for and not found, with their kind.
    missing: rustc_hash::FxHashSet<(char, EcoString)>,
}

impl Registry {
    /// Nothing but these resource types.
    fn knowing(kinds: Vec<(EcoString, RubyType)>) -> Self {
        let kinds = kinds.into_iter().map(|(name, kind)| (name, Some(Arc::new(kind))));
        Self { ruby_types: kinds.collect(), ..Self::default() }
    }
}

/// An ERB template, or why it does not parse.
pub type ErbTemplate = Result<ordain_ruby::Template, ordain_ruby::SyntaxError>;

/// The directory of an environment with the types that were generated for it.
pub const GENERATED_TYPES: &str = ".resource_types";

/// A text that was read and parsed.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its tree.
    pub program: Arc<Program>,
    /// Errors first found in it; a program with errors is not evaluated.
    pub errors: Vec<Diagnostic>,
    /// Warnings found in it.
    pub warnings: Vec<Diagnostic>,
}

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
            ruby: ordain_plugins::Ruby::default(),
            has_native_functions: true,
            site: Vec::new(),
            nodes: Vec::new(),
            strict: options.strict,
            registry: RwLock::new(Registry::knowing(options.kinds)),
            signatures: signatures::Signatures::default(),
            folders: folders::Folders::default(),
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
                for path in modules::manifest_files(self.world.as_ref(), path) {
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
    /// `module_file` says what a module's file may define, if it is one.
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

    /// Makes the definitions of a text known; gives an error for each that is known already.
    fn register(&mut self, program: &Arc<Program>, module: &str) -> Vec<Diagnostic> {
        let registry = self.registry.get_mut().unwrap_or_else(|e| e.into_inner());
        registry.add(program, module, &mut self.nodes)
    }

    fn registry(&self) -> std::sync::RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(|e| e.into_inner())
    }

    fn registry_mut(&self) -> std::sync::RwLockWriteGuard<'_, Registry> {
        self.registry.write().unwrap_or_else(|e| e.into_inner())
    }

    /// The class or define of this name in lower case, loaded from its module if need be.
    ///
    /// # Errors
    /// When a file that may define it does not parse.
    pub fn find_type(&self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        self.find('t', name, |r| r.types.get(name).cloned(), |env| env.load_type(name))
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
            'f',
            name,
            |r| r.functions.get(name).cloned(),
            |env| env.load_one(name, "functions"),
        )
    }

    /// The function of this name if it is known already, as those of the site program are.
    pub fn known_function(&self, name: &str) -> Option<Arc<FunctionDef>> {
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
        self.find('a', name, |r| r.aliases.get(name).cloned(), load)
    }

    /// The type with features of its own of this name in lower case.
    ///
    /// # Errors
    /// As [`Environment::find_type`].
    pub fn find_model(&self, name: &str) -> EvalResult<Option<Arc<ModelDef>>> {
        self.find('m', name, |r| r.models.get(name).cloned(), |env| env.load_one(name, "types"))
    }

    /// The type with features of its own of this name in lower case, if its file was read already.
    pub fn known_model(&self, name: &str) -> Option<Arc<ModelDef>> {
        self.registry().models.get(name).cloned()
    }

    /// The types with features of their own that were read so far, in the order of reading.
    pub fn known_models(&self) -> Vec<Arc<ModelDef>> {
        self.registry().models.values().cloned().collect()
    }

    fn find<T>(
        &self,
        kind: char,
        name: &str,
        get: impl Fn(&Registry) -> Option<T>,
        load: impl FnOnce(&Self) -> EvalResult<()>,
    ) -> EvalResult<Option<T>> {
        let key = (kind, EcoString::from(name));
        {
            let registry = self.registry();
            if let Some(found) = get(&registry) {
                return Ok(Some(found));
            }
            if registry.missing.contains(&key) {
                return Ok(None);
            }
        }
        load(self)?;
        let found = get(&self.registry());
        if found.is_none() {
            self.registry_mut().missing.insert(key);
        }
        Ok(found)
    }

    /// Reads, in order, the files of a module that may define a class or define.
    fn load_type(&self, name: &str) -> EvalResult<()> {
        let mut segments = name.split("::").collect::<Vec<_>>();
        let Some(module) = self.modules.get(segments[0]) else { return Ok(()) };
        let dir = module.dir.join("manifests");
        // It is read whatever is asked for, since anything may be defined there.
        self.load_file(&dir.join("init.pp"), module, "manifests")?;
        segments.remove(0);
        while !segments.is_empty() {
            let mut path = dir.join(segments.join("/"));
            path.as_mut_os_string().push(".pp");
            self.load_file(&path, module, "manifests")?;
            if self.registry().types.contains_key(name) {
                return Ok(());
            }
            segments.pop();
        }
        Ok(())
    }

    /// The program of a module's `init.pp`, if it was read.
    pub(crate) fn module_program(&self, module: &str) -> Option<Arc<Program>> {
        let path = self.modules.get(module)?.dir.join("manifests/init.pp");
        let registry = self.registry();
        registry.files.get(&path)?.get()?.as_ref().ok()?.clone()
    }

    /// The part of an attribute's value that a path leads to. The attribute is known by its place.
    pub(crate) fn value_part(&self, attribute: Span, path: &[Step]) -> Option<Span> {
        let registry = self.registry();
        let read = registry.files.values().filter_map(|slot| slot.get()?.as_ref().ok()?.as_ref());
        let program = self.site.iter().chain(read).find(|p| p.file == attribute.file)?;
        let mut attributes = program.attributes.iter().map(|(_, attribute)| attribute);
        let written = attributes.find(|written| written.range == attribute.range)?;
        Some(program.span(given_part(program, written.value, path)))
    }

    /// The place of what stands right or left of an arrow, if that is a reference.
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
        if let Some(module) = self.modules.get(name).filter(|_| folder == "types") {
            let path = module.dir.join("types/init_typeset.pp");
            return self.load_file(&path, module, folder);
        }
        let (module, rest) = name.split_once("::").unwrap_or(("", name));
        let own;
        let (module, rest) = match (self.modules.get(module), &self.dir) {
            (Some(module), _) => (module, rest),
            (None, Some(dir)) if module.is_empty() || module == "environment" => {
                own = Module { name: EcoString::new(), dir: dir.clone() };
                (&own, name)
            }
            _ => return Ok(()),
        };
        let path = module.dir.join(folder).join(format!("{}.pp", rest.replace("::", "/")));
        self.load_file(&path, module, folder)
    }

    /// Makes the definitions of a text known that is evaluated by itself.
    ///
    /// # Errors
    /// For each definition that is known already.
    pub fn define(&self, program: &Arc<Program>) -> Vec<Diagnostic> {
        self.registry_mut().add(program, "", &mut Vec::new())
    }

    /// Names of all known classes and defines, for suggestions.
    pub fn type_names(&self, kind: DefKind) -> Vec<EcoString> {
        let registry = self.registry();
        let mut names: Vec<_> =
            registry.types.values().filter(|d| d.kind == kind).map(|d| d.name.clone()).collect();
        names.sort();
        names
    }

    /// Names of all functions written in Puppet that are known by now, for suggestions.
    pub fn function_names(&self) -> Vec<EcoString> {
        let mut names: Vec<_> = self.registry().functions.keys().cloned().collect();
        names.sort();
        names
    }
}

impl Registry {
    fn add(
        &mut self,
        program: &Arc<Program>,
        module: &str,
        nodes: &mut Vec<Arc<NodeDef>>,
    ) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for item in items(program, module) {
            match item {
                Item::Type(def) => match self.types.get(&def.name) {
                    Some(known) => errors.push(duplicate(&(&def).into(), &known.as_ref().into())),
                    None => {
                        self.missing.remove(&('t', def.name.clone()));
                        self.types.insert(def.name.clone(), Arc::new(def));
                    }
                },
                Item::Function(def) => {
                    self.missing.remove(&('f', def.name.clone()));
                    match self.functions.get(&def.name) {
                        Some(known) if Arc::ptr_eq(&known.program, program) => {
                            let text = format!("Function '{}'", def.name);
                            errors.push(twice(&text, def.span, known.span));
                        }
                        Some(_) => {}
                        None => _ = self.functions.insert(def.name.clone(), Arc::new(def)),
                    }
                }
                Item::Alias(def) => {
                    let name = def.name.to_lowercase();
                    self.missing.remove(&('a', name.clone()));
                    match self.aliases.get(&name) {
                        Some(known) if Arc::ptr_eq(&known.program, program) => {
                            let text = format!("Type alias '{}'", def.name);
                            errors.push(twice(&text, def.span, known.span));
                        }
                        Some(_) => {}
                        None => _ = self.aliases.insert(name, Arc::new(def)),
                    }
                }
                Item::Model(def) => {
                    let name = def.name.to_lowercase();
                    self.missing.remove(&('m', name.clone()));
                    if let Some(known) = self.models.get(&name) {
                        errors.push(duplicate_model(&def, known));
                    } else {
                        self.models.insert(name, Arc::new(def));
                    }
                }
                Item::Node(def) => {
                    errors.extend(self.add_node_names(&def));
                    nodes.push(Arc::new(def));
                }
            }
        }
        errors
    }
}

impl Registry {
    /// Takes note of the names that a node block matches; gives an error for each that is taken.
    fn add_node_names(&mut self, def: &NodeDef) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for &id in def.program.list(def.matches) {
            let name = match &def.program[id] {
                Expr::Str(name) | Expr::Name(name) => name.clone(),
                Expr::Default => "default".into(),
                _ => continue,
            };
            if let Some(&first) = self.node_names.get(&name) {
                let text = format!("Node '{name}' is already defined; cannot redefine");
                let error = Diagnostic::error("puppet::duplicate-definition", text)
                    .labelled(def.program.span(id), "defined again here");
                errors.push(error.related(first, "first defined here"));
            } else {
                self.node_names.insert(name, def.program.span(id));
            }
        }
        errors
    }
}

/// That a class or define is defined although there is one of its name.
pub fn duplicate(def: &Defined, known: &Defined) -> Diagnostic {
    let message = match (def.kind, known.kind) {
        (DefKind::Class, DefKind::Class) => {
            format!("Class '{}' is already defined; cannot redefine", def.name)
        }
        (DefKind::Class, DefKind::Define) => {
            format!("Definition '{}' is already defined; cannot be redefined as a class", def.name)
        }
        (DefKind::Define, DefKind::Class) => {
            format!("'{}' is already defined as a class; cannot redefine as a definition", def.name)
        }
        (DefKind::Define, DefKind::Define) => {
            format!("Definition '{}' is already defined; cannot be redefined", def.name)
        }
    };
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(def.span, "defined again here")
        .related(known.span, "first defined here")
}

/// That a text defines a function or an alias twice.
fn twice(what: &str, again: Span, first: Span) -> Diagnostic {
    let message = format!("{what} is already defined; cannot redefine");
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(again, "defined again here")
        .related(first, "first defined here")
}

/// That a type with features of its own is defined although there is one of its name.
fn duplicate_model(def: &ModelDef, known: &ModelDef) -> Diagnostic {
    let message = format!("Type '{}' is already defined; cannot be redefined", def.name);
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(def.span, "defined again here")
        .related(known.span, "first defined here")
}

fn failed_file(diagnostics: Vec<Diagnostic>) -> EvalError {
    let first = diagnostics.first();
    EvalError {
        code: None,
        issue: first.and_then(|d| d.issue.clone()),
        message: first.map(|d| d.message.clone()).unwrap_or_default(),
        span: first.and_then(Diagnostic::peer_span),
        line_only: false,
        related: Vec::new(),
        focus: None,
        is_asking: true,
        help: Vec::new(),
        diagnostics,
        is_jump: false,
        wrapped: None,
    }
}

/// A span's file name for messages, as the user gave it.
pub fn file_name(env: &Environment, span: Span) -> String {
    env.sources.file(span.file).path.display().to_string()
}

/// What a file below a module's folder may define: `m/manifests/a/b.pp` has `m::a::b`.
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
