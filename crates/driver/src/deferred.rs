//! Deferred values: function calls that are evaluated on the machine where a graph is applied,
//! before or during the run.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_engine::deferred::{Deferred, DeferredValues};
use ordain_engine::kind::Level;
use ordain_graph::ResourceRef;
use ordain_puppet::deferred::{DeferredAttribute, ResolvedAttributes, resolve};
use ordain_puppet::eval::{LogLevel, Settings};
use ordain_puppet::load::{self, Environment, Site};
use ordain_puppet::session::Node;
use ordain_source::{CachedWorld, Diagnostic, HostWorld, SourceMap, TouchedPaths, World};
use rustc_hash::FxHashMap;

use crate::options::Options;
use crate::puppet::Input;

/// Evaluates the deferred calls of a graph during a run.
pub(crate) struct DeferredCalls {
    attributes: FxHashMap<ResourceRef, Vec<DeferredAttribute>>,
    functions: Functions,
}

/// The environment of deferred calls. It is opened again for each resource, since earlier resources
/// may have changed files that its functions read.
struct Functions {
    dir: Option<PathBuf>,
    modulepath: Vec<PathBuf>,
    hiera_config: Option<PathBuf>,
    name: ecow::EcoString,
    settings: Settings,
    node: Node,
    sources: Arc<SourceMap>,
    touched: TouchedPaths,
}

impl DeferredCalls {
    /// Creates the evaluator for the deferred attributes of a compile; `None` if there are none.
    pub(crate) fn new(
        input: &Input,
        attributes: Vec<DeferredAttribute>,
        options: &Options,
    ) -> Option<Self> {
        if attributes.is_empty() {
            return None;
        }
        let mut by_resource: FxHashMap<ResourceRef, Vec<DeferredAttribute>> = FxHashMap::default();
        for attribute in attributes {
            by_resource.entry(attribute.resource.clone()).or_default().push(attribute);
        }
        let functions = Functions {
            dir: input.env.dir.clone(),
            modulepath: input.env.modulepath.clone(),
            hiera_config: input.env.hiera_config.clone(),
            name: input.env.name.clone(),
            settings: input.settings.clone(),
            node: input.node.clone(),
            sources: Arc::clone(&input.sources),
            touched: options.touched.clone(),
        };
        Some(Self { attributes: by_resource, functions })
    }
}

impl Functions {
    fn call(&self, attributes: &[DeferredAttribute]) -> Result<ResolvedAttributes, String> {
        let world: Arc<dyn World> =
            Arc::new(CachedWorld::new(HostWorld::noting(self.touched.clone())));
        let open = load::Options {
            name: self.name.clone(),
            dir: self.dir.clone(),
            modulepath: self.modulepath.clone(),
            hiera_config: self.hiera_config.clone(),
            sources: Arc::clone(&self.sources),
            ..load::Options::new(world, Site::Nothing)
        };
        let first = |errors: Vec<Diagnostic>| errors.into_iter().next();
        let (env, _) = Environment::open(open)
            .map_err(|errors| first(errors).map_or_else(String::new, |error| error.message))?;
        Ok(resolve(&env, self.settings.clone(), &self.node, attributes))
    }
}

impl Deferred for DeferredCalls {
    fn evaluate(&self, resource: &ResourceRef) -> DeferredValues {
        let Some(attributes) = self.attributes.get(resource) else {
            return DeferredValues::default();
        };
        let resolved = match self.functions.call(attributes) {
            Ok(resolved) => resolved,
            Err(text) => {
                let failed = attributes.iter().map(|a| (a.name.clone(), Err(text.clone())));
                return DeferredValues { values: failed.collect(), log: Vec::new() };
            }
        };
        let values = attributes.iter().zip(resolved.values).map(|(attribute, value)| {
            let text = |found: Vec<Diagnostic>| {
                let texts = found.iter().map(|one| error_text(one, attribute, &self.functions));
                texts.collect::<Vec<_>>().join("; ")
            };
            (attribute.name.clone(), value.map_err(text))
        });
        let logged = resolved.logs.into_iter();
        let logged = logged.map(|entry| (level(entry.level), entry.message));
        let warnings = resolved.diagnostics.iter();
        let warnings = warnings.map(|found| (Level::Warning, found.message.clone()));
        DeferredValues { values: values.collect(), log: logged.chain(warnings).collect() }
    }
}

/// The error message, with its place in a function if it is not the attribute itself.
fn error_text(found: &Diagnostic, attribute: &DeferredAttribute, functions: &Functions) -> String {
    let text = &found.message;
    let place = found.primary.as_ref().map(|label| label.span);
    let elsewhere = place.filter(|span| attribute.span != Some(*span));
    let Some(span) = elsewhere else { return text.clone() };
    let file = functions.sources.file(span.file);
    format!("{text} (file: {}, line: {})", file.path.display(), file.line(span.range.start))
}

fn level(level: LogLevel) -> Level {
    match level {
        LogLevel::Debug => Level::Debug,
        LogLevel::Info => Level::Info,
        LogLevel::Notice => Level::Notice,
        // Only an error of the resource itself counts as an error; those of functions are warnings.
        LogLevel::Warning | LogLevel::Err | LogLevel::Alert | LogLevel::Emerg | LogLevel::Crit => {
            Level::Warning
        }
    }
}

/// Evaluates deferred calls with the first source that knows the resource.
struct AnyOf(Vec<Arc<DeferredCalls>>);

impl Deferred for AnyOf {
    fn evaluate(&self, resource: &ResourceRef) -> DeferredValues {
        let mut all = self.0.iter();
        let known = all.find(|one| one.attributes.contains_key(resource));
        known.map(|one| one.evaluate(resource)).unwrap_or_default()
    }
}

/// The evaluator of a graph's deferred values during a run, if it has any.
pub(crate) fn of(all: &[Arc<DeferredCalls>]) -> Option<Arc<dyn Deferred>> {
    match all {
        [] => None,
        [one] => Some(Arc::clone(one) as Arc<dyn Deferred>),
        several => Some(Arc::new(AnyOf(several.to_vec()))),
    }
}
