//! The kinds for a graph: those of the engine, of other programs, and of modules.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_engine::kind::{Registry, reveal, scalar_text};
use ordain_engine::kinds::external::{ExternalKind, KindDescription, SharedProvider};
use ordain_graph::{Graph, Resource};
use ordain_providers::{ProcessProvider, ProviderError, ProviderSettings};
use ordain_source::Diagnostic;

use crate::compiled::Compiled;
use crate::error::Error;
use crate::handler_source::HandlerSource;
use crate::module_kinds::{self, ModuleKinds};
use crate::options::Options;
use crate::puppet;
use crate::reporter::Reporter;
use crate::saved_kinds;

/// The kinds for one graph after another.
pub struct KindSource {
    base: Arc<Registry>,
    current: Option<RubyKinds>,
    handlers: HandlerSource,
}

/// The kinds of a provider process, with those of the engine.
struct RubyKinds {
    of: ModuleKinds,
    registry: Arc<Registry>,
    provider: Arc<ProcessProvider>,
    is_read_only: bool,
}

impl KindSource {
    /// The kinds of the engine and those of other programs.
    ///
    /// # Errors
    /// When a manifest cannot be read.
    pub fn new(options: &Options) -> Result<Self, Diagnostic> {
        Ok(Self { base: options.registry()?, current: None, handlers: HandlerSource::default() })
    }

    /// The kinds for a graph. As long as modules stay the same, graphs share them, and the provider
    /// process.
    ///
    /// # Errors
    /// When the modules of a graph that was compiled elsewhere cannot be opened.
    pub fn registry(
        &mut self,
        reporter: &mut dyn Reporter,
        compiled: &Compiled,
        options: &Options,
    ) -> Result<Arc<Registry>, Error> {
        let registry = self.ruby_registry(reporter, compiled, options)?;
        Ok(self.handlers.add(registry, compiled, options))
    }

    fn ruby_registry(
        &mut self,
        reporter: &mut dyn Reporter,
        compiled: &Compiled,
        options: &Options,
    ) -> Result<Arc<Registry>, Error> {
        let Some(kinds) = self.kinds_of(reporter, compiled, options)? else {
            return Ok(Arc::clone(&self.base));
        };
        let is_read_only = only_reads(&compiled.graph, options);
        let is_same = |current: &&mut RubyKinds| {
            current.is_read_only == is_read_only && kinds.is_like(&current.of)
        };
        if let Some(current) = self.current.as_mut().filter(is_same) {
            let environment = kinds.environment();
            current.provider.update(environment.iter().map(|(name, value)| (*name, value)));
            return Ok(Arc::clone(&current.registry));
        }
        let settings = ProviderSettings { is_read_only, ..kinds.settings() };
        let provider = Arc::new(ProcessProvider::new(settings));
        let mut registry = Registry::clone(&self.base);
        let shared: SharedProvider = Arc::clone(&provider) as SharedProvider;
        let is_live = options.machine.as_deref().is_none_or(|root| root == Path::new("/"));
        let descriptions = match is_live {
            true => descriptions(&provider, &kinds),
            false => {
                let why = "its providers act on the running system, not on a directory";
                kinds.files.iter().map(|kind| unusable(kind, why, None)).collect()
            }
        };
        for kind in ExternalKind::all(&shared, descriptions) {
            let description = kind.description();
            let other = self.base.shared(&description.name);
            let other = other.filter(|_| description.providers.is_some());
            // A provider that cannot be used is the concern of its resources only.
            if other.is_none() && kinds.has_provider_only(&description.name) {
                continue;
            }
            registry.add(Box::new(match other {
                Some(other) => kind.beside(other),
                None => kind,
            }));
        }
        let registry = Arc::new(registry);
        let current =
            RubyKinds { of: kinds, registry: Arc::clone(&registry), provider, is_read_only };
        self.current = Some(current);
        Ok(registry)
    }

    /// The description of the provider processes of the current graph, for a saved plan.
    ///
    /// # Errors
    /// When a path of a module is not valid UTF-8.
    pub fn saved(&self) -> io::Result<Value> {
        let ruby = self.current.as_ref().map(|current| &current.of);
        saved_kinds::save(ruby, &self.handlers.kinds())
    }

    /// The processor time of the provider processes of the current graph, if it has any.
    pub fn provider_cpu_time(&self) -> Option<Duration> {
        let ruby = self.current.as_ref().map(|current| current.provider.cpu_time());
        ruby.into_iter().chain(self.handlers.cpu_time()).reduce(|one, other| one + other)
    }

    fn kinds_of(
        &self,
        reporter: &mut dyn Reporter,
        compiled: &Compiled,
        options: &Options,
    ) -> Result<Option<ModuleKinds>, Error> {
        if let Some((first, rest)) = compiled.module_kinds.split_first() {
            let all = rest.iter().fold(ModuleKinds::clone(first), |all, other| all.with(other));
            return Ok(Some(all));
        }
        let modules = compiled.all_module_dirs();
        if modules.is_empty() {
            return Ok(None);
        }
        let found = module_kinds::files(&compiled.graph, &modules, &self.base, &options.ruby_types);
        if found.is_empty() {
            return Ok(None);
        }
        let modulepath = options.modulepath.clone().or_else(|| compiled.module_path());
        let options = Options { modulepath, texts: None, ..options.clone() };
        let input = puppet::open_code(reporter, String::new(), &options)?;
        Ok(ModuleKinds::of_input(&input, &compiled.graph, &self.base, &options))
    }
}

/// Whether a run of a graph changes nothing. With `--noop`, resources can declare that they are applied
/// all the same.
fn only_reads(graph: &Graph, options: &Options) -> bool {
    let is_applied = |resource: &Resource| {
        let noop = resource.value("noop").and_then(|value| scalar_text(reveal(value).0));
        noop.is_some_and(|noop| noop != "true")
    };
    options.is_plan || options.is_noop && !graph.resources().any(|(_, one)| is_applied(one))
}

/// A kind of which no resource can be used, with the reason.
fn unusable((name, file): (&String, &PathBuf), why: &str, help: Option<&str>) -> KindDescription {
    let text = format!("the type {name} is written in Ruby ({}), and {why}", file.display());
    KindDescription::unusable(name, text, help)
}

/// The kinds as the provider process describes them. Kinds that cannot be used have the reason.
fn descriptions(provider: &ProcessProvider, kinds: &ModuleKinds) -> Vec<KindDescription> {
    let names: Vec<String> = kinds.files.keys().cloned().collect();
    let failed = |error: &ProviderError| {
        let why = error.to_string();
        kinds.files.iter().map(|kind| unusable(kind, &why, error.help())).collect()
    };
    match provider.kinds(&names) {
        Ok(found) => {
            let undefined = "this file does not define it";
            let each = kinds.files.iter().zip(found);
            each.map(|(kind, found)| found.unwrap_or_else(|| unusable(kind, undefined, None)))
                .collect()
        }
        // One file may keep the others from being loaded.
        Err(_) if names.len() > 1 => {
            let alone = kinds.files.iter().map(|kind| {
                match provider.kinds(std::slice::from_ref(kind.0)).map(|mut found| found.pop()) {
                    Ok(Some(Some(description))) => description,
                    Ok(_) => unusable(kind, "this file does not define it", None),
                    Err(error) => unusable(kind, &error.to_string(), error.help()),
                }
            });
            alone.collect()
        }
        Err(error) => failed(&error),
    }
}
