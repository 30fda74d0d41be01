//! Kinds of resources that modules implement in Ruby, for graphs that are planned or applied.
//!
//! A compile notes the modules and facts of a graph with resources of such kinds. A run adds the kinds
//! to those of the engine (`kind_source.rs`); their provider process starts then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ordain_data::{Map, Value};
use ordain_engine::kind::Registry;
use ordain_engine::kind::{reveal, scalar_text};
use ordain_graph::{Containment, Graph, METAPARAMETERS, Resource};
use ordain_plugins::{Language, ProviderProgram};
use ordain_providers::ProviderSettings;
use ordain_puppet::value::rich::to_data;
use ordain_source::TouchedPaths;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::puppet::Input;

/// Seconds for one resource in the provider process, unless a request allows more.
const SECONDS: u32 = 60;
/// Bytes of memory of the provider process.
const MEMORY: u64 = 2 << 30;
/// The depth to which the libraries of modules are searched for changes.
const MAX_DEPTH: usize = 16;

/// Kinds of a graph that modules implement in Ruby.
#[derive(Clone, Debug)]
pub(crate) struct ModuleKinds {
    /// The kinds with the files that define them.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// The directories of all modules by name.
    modules: BTreeMap<String, PathBuf>,
    environment: String,
    node: String,
    facts: Value,
    /// The libraries of an installed Puppet, if they may be used.
    puppet_libs: Option<PathBuf>,
    /// The files of the libraries of the modules, with the times of their last changes.
    libraries: BTreeMap<PathBuf, (SystemTime, u64)>,
}

/// The kinds in a saved plan, without the facts of the node.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedTypes {
    files: BTreeMap<String, PathBuf>,
    modules: BTreeMap<String, PathBuf>,
    environment: String,
    node: String,
    puppet_libs: Option<PathBuf>,
}

/// Finds the file that defines a type in Ruby among modules.
fn type_file(modules: &BTreeMap<String, PathBuf>, kind: &str) -> Option<PathBuf> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if kind.is_empty() || !kind.chars().all(is_word) {
        return None;
    }
    let path = |dir: &PathBuf| dir.join("lib/puppet/type").join(format!("{kind}.rb"));
    modules.values().map(path).find(|path| path.is_file())
}

/// Finds the file that defines the provider of a resource, if a module brings one for its kind.
fn provider_file(modules: &BTreeMap<String, PathBuf>, resource: &Resource) -> Option<PathBuf> {
    let kind = resource.id.kind.to_ascii_lowercase();
    let provider = resource.value("provider").and_then(|value| scalar_text(reveal(value).0))?;
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word(&kind) || !is_word(&provider) {
        return None;
    }
    let path = |dir: &PathBuf| dir.join(format!("lib/puppet/provider/{kind}/{provider}.rb"));
    modules.values().map(path).find(|path| path.is_file())
}

/// The kinds of a graph that the engine lacks, or whose implementation in Ruby is preferred, with the
/// files that define them.
pub(crate) fn files(
    graph: &Graph,
    modules: &BTreeMap<String, PathBuf>,
    registry: &Registry,
    preferred: &[String],
) -> BTreeMap<String, PathBuf> {
    // Whether each kind is needed.
    let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let is_leaf = |r: &&Resource| r.containment == Containment::Leaf && !r.is_virtual;
    for resource in graph.resources().map(|(_, r)| r).filter(is_leaf) {
        let name = resource.id.kind.to_ascii_lowercase().to_string();
        let is_preferred = |name: &str| preferred.iter().any(|p| p.eq_ignore_ascii_case(name));
        let lacks = registry.get(&name).is_none_or(|kind| {
            let known = |name: &str| {
                METAPARAMETERS.contains(&name)
                    || name == "provider"
                    || name == "name"
                    || name.contains(':')
                    || kind.schema().is_open
                    || kind.schema().attribute(name).is_some()
            };
            !resource.attributes.iter().all(|attribute| known(&attribute.name))
        });
        if name == "resources" {
            let purged = resource.value("name").and_then(|value| scalar_text(reveal(value).0));
            let purged = purged.unwrap_or_else(|| resource.id.title.to_string());
            let purged = purged.to_ascii_lowercase();
            let is_needed = registry.get(&purged).is_none() || is_preferred(&purged);
            *kinds.entry(purged).or_default() |= is_needed;
        }
        if registry.get(&name).is_some()
            && let Some(file) = provider_file(modules, resource)
        {
            found.entry(name.clone()).or_insert(file);
        }
        let is_needed = lacks || is_preferred(&name);
        *kinds.entry(name).or_default() |= is_needed;
    }
    let needed = kinds.into_iter().filter(|(_, is_needed)| *is_needed).map(|(kind, _)| kind);
    found.extend(needed.filter_map(|kind| Some((kind.clone(), type_file(modules, &kind)?))));
    found
}

impl ModuleKinds {
    /// The kinds of a compiled catalog; `None` if there are none.
    pub(crate) fn of_input(
        input: &Input,
        graph: &Graph,
        registry: &Registry,
        options: &Options,
    ) -> Option<Self> {
        let full = |dir: &Path| std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
        let modules = input.env.modules.values();
        let modules: BTreeMap<String, PathBuf> =
            modules.map(|module| (module.name.to_string(), full(&module.dir))).collect();
        let files = files(graph, &modules, registry, &options.ruby_types);
        if files.is_empty() {
            return None;
        }
        let libraries = libraries(&modules, &options.touched);
        Some(Self {
            files,
            modules,
            environment: input.env.name.to_string(),
            node: input.node.name.to_string(),
            facts: to_data(&input.node.facts),
            puppet_libs: options.puppet_libs.clone(),
            libraries,
        })
    }

    /// Whether a provider process for the other can serve this, if it has these kinds, too.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.modules == other.modules
            && self.puppet_libs == other.puppet_libs
            && self.libraries == other.libraries
            && self.files.iter().all(|(kind, file)| other.files.get(kind) == Some(file))
    }

    /// Whether modules bring a provider for the kind, and not the kind itself.
    pub(crate) fn has_provider_only(&self, kind: &str) -> bool {
        let file = self.files.get(kind).and_then(|file| file.parent()?.parent());
        file.is_some_and(|dir| dir.ends_with("lib/puppet/provider"))
    }

    /// The settings of a provider process for these kinds.
    pub(crate) fn settings(&self) -> ProviderSettings {
        let program = ProviderProgram::ruby(SECONDS, MEMORY);
        let chosen = std::env::var(Language::Ruby.variable()).ok();
        let interpreters = Language::Ruby.interpreters(chosen, &[]);
        let modules = self.modules.iter().map(|(name, dir)| (name.clone(), dir.clone()));
        let mut settings = ProviderSettings::new(program, interpreters, modules);
        for (name, value) in self.environment() {
            settings.set(name, &value);
        }
        settings
    }

    /// The members of the first request that may be others for the next graph.
    pub(crate) fn environment(&self) -> Vec<(&'static str, Value)> {
        let own = [
            ("environment", Value::str(self.environment.as_str())),
            ("certname", Value::str(self.node.as_str())),
        ];
        let own: Map = own.into_iter().map(|(k, v)| (Value::str(k), v)).collect();
        let libraries = self.puppet_libs.as_ref();
        let libraries = libraries.map(|dir| Value::str(dir.display().to_string()));
        let mut all = vec![
            ("node", Value::str(self.node.as_str())),
            ("facts", self.facts.clone()),
            ("settings", Value::Map(Arc::new(own))),
        ];
        all.extend(libraries.map(|dir| ("puppet", dir)));
        all
    }
}

/// The Ruby files of the libraries of modules. A compile depends on them.
fn libraries(
    modules: &BTreeMap<String, PathBuf>,
    touched: &TouchedPaths,
) -> BTreeMap<PathBuf, (SystemTime, u64)> {
    library_files(modules.values().map(|dir| dir.join("lib")), "rb", touched)
}

/// The files with an extension below directories, with their times and sizes. A compile depends on
/// them.
pub(crate) fn library_files(
    directories: impl Iterator<Item = PathBuf>,
    extension: &str,
    touched: &TouchedPaths,
) -> BTreeMap<PathBuf, (SystemTime, u64)> {
    let mut found = BTreeMap::new();
    let mut todo: Vec<(PathBuf, usize)> = directories.map(|dir| (dir, MAX_DEPTH)).collect();
    while let Some((dir, depth)) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        touched.note(&dir);
        for entry in entries.flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if kind.is_dir() && depth > 0 {
                todo.push((path, depth - 1));
            } else if path.extension().is_some_and(|found| found == extension)
                && let Ok(about) = path.metadata()
            {
                touched.note(&path);
                let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.insert(path, (changed, about.len()));
            }
        }
    }
    found
}

impl ModuleKinds {
    /// The directories with the Ruby code of the modules.
    pub(crate) fn library_dirs(&self) -> Vec<PathBuf> {
        self.modules.values().map(|dir| dir.join("lib")).collect()
    }

    /// The facts of the node.
    pub(crate) fn facts(&self) -> &Value {
        &self.facts
    }

    /// Everything but the facts, for a plan.
    pub(crate) fn saved(&self) -> SavedTypes {
        SavedTypes {
            files: self.files.clone(),
            modules: self.modules.clone(),
            environment: self.environment.clone(),
            node: self.node.clone(),
            puppet_libs: self.puppet_libs.clone(),
        }
    }

    /// The kinds of a plan.
    pub(crate) fn of_saved(saved: SavedTypes, facts: Value) -> Self {
        let SavedTypes { files, modules, environment, node, puppet_libs } = saved;
        let libraries = libraries(&modules, &TouchedPaths::default());
        Self { files, modules, environment, node, facts, puppet_libs, libraries }
    }

    /// The kinds of two sources of one graph.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        let add = |all: &mut BTreeMap<String, PathBuf>, more: &BTreeMap<String, PathBuf>| {
            for (name, path) in more {
                all.entry(name.clone()).or_insert_with(|| path.clone());
            }
        };
        add(&mut self.files, &other.files);
        add(&mut self.modules, &other.modules);
        self.libraries.extend(other.libraries.clone());
        self
    }
}
