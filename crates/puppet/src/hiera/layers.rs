//! The layers: global, environment, module, and the defaults of a module.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_source::{Span, TextRange};

use super::config::{Config, ConfigFault, Owner, VERSION_3_HELP};
use super::explain::Node;
use super::key::LookupKey;
use super::lookup::{Lookup, message_of};
use super::merge::Strategy;
use crate::error::{EvalResult, Unwind, plain};
use crate::hiera::state::Provider;
use crate::value::Value;
use ordain_graph::language::Strict;

/// The layers in the order of the search.
#[derive(Clone, Copy)]
enum Layer {
    Global,
    Environment,
    Module,
}

const LAYERS: [Layer; 3] = [Layer::Global, Layer::Environment, Layer::Module];

impl Lookup<'_, '_> {
    /// Looks up in variants from the highest priority to the lowest, and merges the values.
    pub(super) fn merged<T>(
        &mut self,
        strategy: &Strategy,
        variants: &[T],
        mut find: impl FnMut(&mut Self, &T) -> EvalResult<Option<Value>>,
    ) -> EvalResult<Option<Value>> {
        if *strategy == Strategy::First {
            for variant in variants {
                if let Some(value) = find(self, variant)? {
                    return Ok(Some(value));
                }
            }
            return Ok(None);
        }
        match variants {
            [] => Ok(None),
            [only] => Ok(find(self, only)?.map(|value| strategy.single(value))),
            several => self.with(
                || Node::Merge(strategy.clone()),
                |lookup| {
                    let mut merged = None;
                    for variant in several {
                        let Some(value) = find(lookup, variant)? else { continue };
                        merged = Some(match merged {
                            None => strategy.first(value),
                            Some(higher) => match strategy.merge(higher, value) {
                                Ok(value) => value,
                                Err(message) => return lookup.error(message),
                            },
                        });
                    }
                    if let Some(value) = merged.clone() {
                        lookup.explain(|e| e.result(value));
                    }
                    Ok(merged)
                },
            ),
        }
    }

    pub(super) fn strategy(&self, merge: &Value) -> EvalResult<Strategy> {
        Strategy::of(merge).or_else(plain)
    }

    /// The value of a key in the three layers.
    pub(super) fn in_layers(
        &mut self,
        key: &LookupKey,
        merge: &Value,
    ) -> EvalResult<Option<Value>> {
        let strategy = self.strategy(merge)?;
        let value = if self.global_only {
            self.in_layer(Layer::Global, key, &strategy)?
        } else {
            self.merged(&strategy, &LAYERS, |lookup, layer| {
                lookup.in_layer(*layer, key, &strategy)
            })?
        };
        match value {
            Some(value) => self.dig_key(key, value),
            None => Ok(None),
        }
    }

    pub(super) fn in_global(
        &mut self,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        self.in_layer(Layer::Global, key, strategy)
    }

    pub(super) fn in_environment(
        &mut self,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        self.in_layer(Layer::Environment, key, strategy)
    }

    pub(super) fn in_module(
        &mut self,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        self.in_layer(Layer::Module, key, strategy)
    }

    fn in_layer(
        &mut self,
        layer: Layer,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        match layer {
            Layer::Global => match self.in_global_layer(key, strategy) {
                Err(unwind) if is_lookup_error(&unwind) => Err(self.failed(&unwind)),
                result => result,
            },
            Layer::Environment => match self.provider(&Owner::Environment)? {
                Some(provider) => self.in_provider(&provider, key, strategy),
                None => Ok(None),
            },
            Layer::Module => self.in_module_layer(key, strategy),
        }
    }

    /// The error that a lookup failed in the global layer.
    fn failed(&self, unwind: &Unwind) -> Box<Unwind> {
        let text = format!("Lookup of key '{}' failed: {}", self.top, message_of(unwind));
        let mut out = match self.error::<()>(text.clone()) {
            Err(out) => out,
            Ok(()) => super::lookup::lookup_unwind(text),
        };
        if let Unwind::Error(cause) = unwind {
            match &mut *out {
                Unwind::Error(error) => {
                    error.focus.clone_from(&cause.focus);
                    error.help.clone_from(&cause.help);
                }
                Unwind::Plain(error) => {
                    error.focus.clone_from(&cause.focus);
                    error.help = cause.help.first().cloned();
                }
                _ => {}
            }
        }
        out
    }

    fn in_global_layer(
        &mut self,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        let provider = self.check(&key.text, |lookup| lookup.provider(&Owner::Global))?;
        let Some(provider) = provider else { return Ok(None) };
        if provider.config.version != 3 || self.old_scope {
            return self.in_provider(&provider, key, strategy);
        }
        let saved = (self.old_scope, self.global_only);
        self.old_scope = true;
        self.global_only |= !self.check(&key.text, Self::has_environment_data)?;
        let merge = match strategy {
            Strategy::Hash if self.old_call && provider.config.merge != Strategy::First => {
                &provider.config.merge
            }
            other => other,
        };
        let result = self.in_provider(&provider, key, merge);
        (self.old_scope, self.global_only) = saved;
        let value = result?;
        match &value {
            Some(found) if self.old_call => {
                self.check(&key.text, |lookup| lookup.check_old_call(key, merge, found))?;
            }
            _ => {}
        }
        Ok(value)
    }

    fn check_old_call(&self, key: &LookupKey, merge: &Strategy, found: &Value) -> EvalResult<()> {
        let hash = matches!(merge, Strategy::Hash | Strategy::Deep(_));
        if hash && found.as_hash().is_none() {
            let got = super::text::type_word(found);
            return self.error(format!("value has wrong type, expects a Hash value, got {got}"));
        }
        if !key.segments.is_empty() && matches!(merge, Strategy::Hash | Strategy::Unique) {
            let name = if hash { "hash" } else { "array" };
            return super::lookup::lookup_error(format!(
                "Resolution type :{name} is illegal when accessing values using dotted keys. \
                 Offending key was '{}'",
                key.text
            ));
        }
        Ok(())
    }

    /// Whether the environment has a configuration of version 5.
    pub(super) fn has_environment_data(&mut self) -> EvalResult<bool> {
        Ok(self.provider(&Owner::Environment)?.is_some_and(|p| p.config.version >= 5))
    }

    fn in_module_layer(
        &mut self,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        let Some(name) = self.module.clone() else { return Ok(None) };
        if let Some(provider) = self.provider(&Owner::Module(name.clone()))? {
            return self.in_provider(&provider, key, strategy);
        }
        let known = self.c.env.modules.contains_key(&name);
        self.explain(|e| e.leaf(Node::Module { name, known }));
        Ok(None)
    }

    /// The value of a key in the levels of a layer.
    fn in_provider(
        &mut self,
        provider: &Arc<Provider>,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        self.check(&key.text, |lookup| {
            lookup.with(
                || provider.node(),
                |lookup| {
                    let levels = lookup.levels(provider)?;
                    if levels.main.is_empty() {
                        lookup.explain(|e| e.not_found(key.text.clone()));
                        return Ok(None);
                    }
                    lookup.merged(strategy, &levels.main, |lookup, level| {
                        lookup.levels = Some(Arc::clone(&levels));
                        lookup.in_level(provider, level, key, strategy)
                    })
                },
            )
        })
    }

    /// The value of a key in the default hierarchy of a layer.
    pub(super) fn in_provider_defaults(
        &mut self,
        provider: &Arc<Provider>,
        key: &LookupKey,
        merge: &Value,
    ) -> EvalResult<Option<Value>> {
        let levels = self.levels(provider)?;
        if levels.defaults.is_empty() {
            self.explain(|e| e.not_found(key.text.clone()));
            return Ok(None);
        }
        let strategy = self.strategy(merge)?;
        self.check(&key.text, |lookup| {
            lookup.with(
                || provider.node(),
                |lookup| {
                    lookup.merged(&strategy, &levels.defaults, |lookup, level| {
                        lookup.in_level(provider, level, key, &strategy)
                    })
                },
            )
        })
    }

    /// A layer with its configuration; `None` if it has no data.
    pub(super) fn provider(&mut self, owner: &Owner) -> EvalResult<Option<Arc<Provider>>> {
        if let Some(known) = self.c.hiera.providers.get(owner) {
            return Ok(known.clone());
        }
        let config = self.config(owner)?;
        let config = self.configured(owner, config)?;
        let id = self.c.hiera.providers.len();
        let provider = config.map(|config| Arc::new(Provider { id, owner: owner.clone(), config }));
        self.c.hiera.providers.insert(owner.clone(), provider.clone());
        Ok(provider)
    }

    pub(super) fn config_path(&self, owner: &Owner) -> Option<PathBuf> {
        match owner {
            Owner::Global => self.c.env.hiera_config.clone(),
            Owner::Environment => Some(self.c.env.dir.as_ref()?.join("hiera.yaml")),
            Owner::Module(name) => Some(self.c.env.modules.get(name)?.dir.join("hiera.yaml")),
        }
    }

    /// The file that sets the data provider of a layer, if one does.
    pub(super) fn settings_path(&self, owner: &Owner) -> Option<PathBuf> {
        let file = match owner {
            Owner::Global => return None,
            Owner::Environment => "environment.conf",
            Owner::Module(_) => "metadata.json",
        };
        Some(self.config_path(owner)?.with_file_name(file))
    }

    fn config(&mut self, owner: &Owner) -> EvalResult<Option<Arc<Config>>> {
        let path = self.config_path(owner);
        let without_file = || {
            let root = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
            (*owner == Owner::Global).then(|| Arc::new(Config::without_file(root)))
        };
        let Some(file) = &path else { return Ok(without_file()) };
        let env = self.c.env;
        let strict = self.c.settings.strict;
        let Some(config) = env.hiera.config(env.world.as_ref(), file, owner, strict) else {
            return Ok(without_file());
        };
        let config = match &*config {
            Ok(config) => Arc::clone(config),
            Err(fault) => return Err(self.fault(fault)),
        };
        for warning in &config.warnings {
            self.c.warn(warning.clone(), None);
        }
        let layer = match owner {
            Owner::Environment if config.version == 3 => ("an environment", "the environment root"),
            Owner::Module(_) if config.version == 3 => ("a module", "module root"),
            _ => return Ok(Some(config)),
        };
        if strict == Strict::Error {
            let fault = ConfigFault {
                issue: Some("HIERA_VERSION_3_NOT_GLOBAL"),
                message: format!("hiera.yaml version 3 cannot be used in {}", layer.0),
                path: Some(file.clone()),
                line: None,
                blame: None,
            };
            let mut unwind = self.fault(&fault);
            if let Unwind::Error(error) = &mut *unwind {
                error.help.push(VERSION_3_HELP.to_owned());
            }
            return Err(unwind);
        }
        let shown = file.display();
        let text =
            format!("hiera.yaml version 3 found at {} was ignored\n   (file: {shown})", layer.1);
        self.warn_once(&format!("version 3 {shown}"), text);
        Ok(None)
    }

    /// The error of a configuration, at its place.
    pub(super) fn fault(&self, fault: &ConfigFault) -> Box<Unwind> {
        let mut unwind = self.reported_fault(fault);
        if let Some(blame) = &fault.blame
            && let Ok(text) = crate::hiera::text::read_text(self.c.env.world.as_ref(), &blame.path)
        {
            let file = self.c.env.sources.add(&blame.path, text.as_str());
            let focus = Some((blame.range.in_file(file), String::new()));
            match &mut *unwind {
                Unwind::Error(error) => {
                    error.focus = focus;
                    error.help.extend(blame.help.clone());
                }
                Unwind::Plain(error) => {
                    error.focus = focus;
                    error.help.clone_from(&blame.help);
                }
                _ => {}
            }
        }
        unwind
    }

    /// The error of a configuration at the place that Puppet reports.
    fn reported_fault(&self, fault: &ConfigFault) -> Box<Unwind> {
        let Some(issue) = fault.issue else {
            return match self.error::<()>(fault.message.clone()) {
                Err(unwind) => unwind,
                Ok(()) => super::lookup::lookup_unwind(fault.message.clone()),
            };
        };
        let span = fault.path.as_deref().and_then(|path| self.place(path, fault.line));
        super::lookup::unwind(Some(issue), fault.message.clone(), span)
    }

    /// The span of a line of a configuration.
    pub(super) fn place(&self, path: &Path, line: Option<u32>) -> Option<Span> {
        let text = crate::hiera::text::read_text(self.c.env.world.as_ref(), path).ok()?;
        let wanted = line.unwrap_or(1) as usize - 1;
        let mut start = 0;
        for (i, one) in text.split_inclusive('\n').enumerate() {
            if i == wanted {
                let indent = one.len() - one.trim_start().len();
                let end = start + one.trim_end().len();
                let range = TextRange::new((start + indent).min(end) as u32, end as u32);
                let file = self.c.env.sources.add(path, text.as_str());
                return Some(range.in_file(file));
            }
            start += one.len();
        }
        // An empty file has a place, too.
        text.is_empty().then(|| TextRange::new(0, 0).in_file(self.c.env.sources.add(path, "")))
    }

    /// The place for errors of code that no program calls: the first configuration.
    pub(super) fn config_span(&mut self) -> Option<Span> {
        if let Some(known) = self.c.hiera.config_spans.get(&self.module) {
            return *known;
        }
        let owners = [Owner::Environment, Owner::Global];
        let module = self.module.clone().map(Owner::Module);
        let mut owners = module.into_iter().chain(owners);
        let span = owners.find_map(|owner| {
            let found = self.place(&self.config_path(&owner)?, None);
            found.or_else(|| self.place(&self.settings_path(&owner)?, None))
        });
        self.c.hiera.config_spans.insert(self.module.clone(), span);
        span
    }
}

/// Whether an error belongs to a lookup and has no issue code.
fn is_lookup_error(unwind: &Unwind) -> bool {
    matches!(unwind, Unwind::Error(e) if e.issue.is_none() && e.span.is_none())
}
