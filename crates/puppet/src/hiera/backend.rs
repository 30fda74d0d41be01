//! Levels that are backends of Hiera 3, which are Ruby classes: `hiera3_backend` in `hiera.yaml` of
//! version 5, and names below `:backends:` in version 3.

use std::sync::Arc;

use ecow::EcoString;

use super::config::{FunctionKind, Level, Locations};
use super::key::LookupKey;
use super::lookup::{Lookup, lookup_error};
use super::merge::Strategy;
use crate::error::EvalResult;
use crate::hiera::state::{Provider, ResolvedLevel};
use crate::value::{HashValue, Value};

/// The hierarchy of a level for its backend, which adds the extension to each path itself.
fn hierarchy(level: &Level) -> Vec<Value> {
    let ending = format!(".{}", level.function);
    let paths: &[EcoString] = match &level.locations {
        Locations::None => &[],
        Locations::Paths(all) | Locations::Globs(all) | Locations::Uris(all) => all,
        Locations::Mapped([_, _, path]) => std::slice::from_ref(path),
    };
    let without_ending = |path: &EcoString| path.strip_suffix(ending.as_str()).map(EcoString::from);
    paths.iter().map(|path| Value::Str(without_ending(path).unwrap_or(path.clone()))).collect()
}

/// Adds the items that a list does not have yet.
fn extend(list: &mut Vec<Value>, more: impl IntoIterator<Item = Value>) {
    for value in more {
        if !list.contains(&value) {
            list.push(value);
        }
    }
}

impl Lookup<'_, '_> {
    /// The configuration that backends read as `Hiera::Config`: the text of a `hiera.yaml` of
    /// version 3, or the combined options of all levels with backends.
    pub(super) fn backend_options(&mut self, provider: &Provider) -> EvalResult {
        if let (3, Some(path)) = (provider.config.version, &provider.config.path) {
            let text = crate::hiera::text::read_text(self.c.env.world.as_ref(), path);
            let text = text.or_else(lookup_error)?;
            return Ok(Value::hash([("yaml", Value::from(text))]));
        }
        let config = Arc::clone(&provider.config);
        let levels = config.hierarchy.iter().filter(|l| l.kind == FunctionKind::Hiera3Backend);
        let (mut paths, mut backends) = (Vec::new(), Vec::new());
        let mut out = HashValue::default();
        for level in levels {
            extend(&mut paths, hierarchy(level));
            extend(&mut backends, [Value::Str(level.function.clone())]);
            let dir = super::location::join(&config.root.to_string_lossy(), &level.datadir);
            let dir = self.interpolate(&Value::str(dir), false)?;
            let mut settings = HashValue::default();
            settings.insert(Value::from("datadir"), dir);
            if let Some(options) = &level.options
                && let Value::Hash(options) = self.interpolate(options, false)?
            {
                settings.extend(options.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            let name = Value::Str(level.function.clone());
            if !out.contains_key(&name) {
                out.insert(name, Value::Hash(Arc::new(settings)));
            }
        }
        out.insert(Value::from("hierarchy"), Value::array(paths));
        out.insert(Value::from("backends"), Value::array(backends));
        Ok(Value::Hash(Arc::new(out)))
    }

    /// The merge strategy for a backend. Backends of version 3 read it from the configuration.
    fn resolution_type(&self, provider: &Provider) -> Value {
        let is_configured = provider.config.version == 3
            && self.old_call
            && provider.config.merge != Strategy::First
            && self.strategy == provider.config.merge;
        if is_configured {
            return Value::from("configured");
        }
        match &self.strategy {
            Strategy::First => Value::Undef,
            Strategy::Unique => Value::from("unique"),
            Strategy::Hash => Value::from("hash"),
            Strategy::Deep(deep) => {
                let mut out = deep.given.clone();
                out.insert(Value::from("strategy"), Value::from(deep.name));
                Value::Hash(Arc::new(out))
            }
        }
    }

    /// The value of a key from the backend of a level.
    pub(super) fn ask_backend(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let Some(span) = self.span.or_else(|| self.config_span()) else {
            return lookup_error(format!("backend '{}' cannot be asked here", level.function));
        };
        let first = self.first_paths.iter().map(|path| Value::Str(path.clone()));
        let arguments =
            [level.options.clone(), Value::array(first), self.resolution_type(provider)];
        let answer = self.c.ask_hiera3_backend(
            &level.function,
            &key.text,
            &arguments,
            (self.scope, span),
        )?;
        match answer {
            Ok(value) => {
                self.explain(|e| e.found(key.text.clone(), value.clone()));
                Ok(Some(key.undig(value)))
            }
            Err(reason) => {
                if let Some(reason) = reason {
                    self.explain(|e| e.text(reason.as_str()));
                    self.c.warn(reason, None);
                }
                self.explain(|e| e.not_found(key.text.clone()));
                Ok(None)
            }
        }
    }
}
