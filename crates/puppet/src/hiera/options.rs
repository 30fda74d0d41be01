//! `lookup_options`: the merge and the conversion of values, as data asks for them.

use std::sync::Arc;

use ecow::EcoString;

use super::config::Owner;
use super::explain::Node;
use super::key::LookupKey;
use super::lookup::{Lookup, lookup_error};
use super::merge::Strategy;
use crate::error::{EvalResult, PlainError};
use crate::hiera::state::{Options, Pattern};
use crate::types::regexp::shared;
use crate::value::{HashValue, Key, Value};

impl Pattern {
    fn new(source: &str, options: Value) -> EvalResult<Self> {
        let regex = shared(source).map_err(|e| PlainError::new(e.to_string()))?;
        Ok(Self { prefix: prefix(source).into(), regex, options })
    }

    fn fits(&self, root: &str) -> bool {
        (root.starts_with(self.prefix.as_str()) || root.contains('\n'))
            && self.regex.is_match(root).unwrap_or(false)
    }
}

/// The literal text after the `^` at the start of a regular expression.
fn prefix(source: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let Some(rest) = source.strip_prefix('^').filter(|_| !source.contains('|')) else { return "" };
    let text = &rest[..rest.find(|c| !plain(c)).unwrap_or(rest.len())];
    match rest[text.len()..].starts_with(['*', '?', '{']) {
        // The last character is optional.
        true => &text[..text.len().saturating_sub(1)],
        false => text,
    }
}

impl Options {
    fn new(options: &Value) -> EvalResult<Self> {
        let mut exact = HashValue::default();
        let mut patterns = Vec::new();
        for (key, value) in options.as_hash().into_iter().flatten() {
            match key.as_str().filter(|key| key.starts_with('^')) {
                Some(pattern) => patterns.push(Pattern::new(pattern, value.clone())?),
                None => _ = exact.insert(key.clone(), value.clone()),
            }
        }
        Ok(Self { exact, patterns })
    }

    fn of(&self, key: &LookupKey) -> Option<&Value> {
        if let Some(value) = self.exact.get(&Key(&key.root)).filter(|v| !v.is_undef()) {
            return Some(value);
        }
        self.patterns.iter().find(|pattern| pattern.fits(&key.root)).map(|pattern| &pattern.options)
    }
}

fn options_key() -> LookupKey {
    let text = EcoString::from("lookup_options");
    LookupKey { root: text.clone(), text, module: None, segments: Vec::new() }
}

/// Checks that options are a hash, and in a module that they are about its keys.
fn validated(options: Value, module: Option<&str>) -> EvalResult {
    if options.is_undef() {
        return Ok(Value::hash::<&str>([]));
    }
    let Some(entries) = options.as_hash() else {
        return lookup_error("value of lookup_options must be a hash");
    };
    let Some(module) = module else { return Ok(options) };
    let prefix = format!("{module}::");
    for key in entries.keys() {
        let text = key.as_str().unwrap_or_default();
        match text.strip_prefix('^') {
            Some(pattern) if pattern.starts_with(&prefix) => {}
            Some(_) => {
                return lookup_error(format!(
                    "all lookup_options patterns must match a key starting with module name '{module}'"
                ));
            }
            None if text.starts_with(&prefix) => {}
            None => {
                return lookup_error(format!(
                    "all lookup_options keys must start with module name '{module}'"
                ));
            }
        }
    }
    Ok(options)
}

impl Lookup<'_, '_> {
    /// The options of a key.
    pub(super) fn options_of(&mut self, key: &LookupKey) -> EvalResult<Option<Value>> {
        let module = key.module.clone().unwrap_or_default();
        if let Some(known) = self.c.hiera.options.get(&module) {
            return Ok(known.as_ref().and_then(|o| o.of(key)).cloned());
        }
        let places = self.places.len();
        let saved = (std::mem::take(&mut self.overrides), std::mem::take(&mut self.defaults));
        let top = std::mem::replace(&mut self.top, "lookup_options".into());
        let found = self.with(
            || Node::Search { key: "lookup_options".into(), meta: true },
            |lookup| lookup.retrieve_options(&module),
        );
        self.top = top;
        (self.overrides, self.defaults) = saved;
        self.places.truncate(places);
        let options = found?;
        let own = options.as_ref().and_then(|o| o.of(key)).cloned();
        self.c.hiera.options.insert(module, options);
        Ok(own)
    }

    fn retrieve_options(&mut self, module: &EcoString) -> EvalResult<Option<Arc<Options>>> {
        let compiled = |options: Option<Value>| -> EvalResult<Option<Arc<Options>>> {
            options.map(|o| Options::new(&o).map(Arc::new)).transpose()
        };
        if self.global_only {
            return compiled(self.global_options()?);
        }
        let shared = self.shared_options()?;
        let of_all = match self.c.hiera.options.get("") {
            Some(known) => known.clone(),
            None => {
                let options = compiled(shared.clone())?;
                self.c.hiera.options.insert(EcoString::new(), options.clone());
                options
            }
        };
        if module.is_empty() {
            return Ok(of_all);
        }
        let own = match self.in_module(&options_key(), &Strategy::Hash)? {
            Some(own) => validated(own, Some(module))?,
            None => return Ok(of_all),
        };
        let Some(shared) = shared else { return compiled(Some(own)) };
        let module = self.module.clone().unwrap_or_default();
        let parts = [
            (EcoString::from("Global and Environment"), shared),
            (ecow::eco_format!("Module {module}"), own),
        ];
        let merged = self.merged(&Strategy::Hash, &parts, |lookup, (name, options)| {
            lookup.with(
                || Node::Scope(name.clone()),
                |lookup| {
                    lookup.explain(|e| e.found("lookup_options".into(), options.clone()));
                    Ok(Some(options.clone()))
                },
            )
        })?;
        compiled(merged)
    }

    fn global_options(&mut self) -> EvalResult<Option<Value>> {
        if let Some(known) = &self.c.hiera.global_options {
            return Ok(known.clone());
        }
        let found = self.in_global(&options_key(), &Strategy::Hash)?;
        let options = found.map(|o| validated(o, None)).transpose()?;
        self.c.hiera.global_options = Some(options.clone());
        Ok(options)
    }

    /// The options of the global layer and the environment.
    fn shared_options(&mut self) -> EvalResult<Option<Value>> {
        if let Some(known) = &self.c.hiera.shared_options {
            return Ok(known.clone());
        }
        let global = self.global_options()?;
        let own = self.in_environment(&options_key(), &Strategy::Hash)?;
        let own = own.map(|o| validated(o, None)).transpose()?;
        let merged = match (global, own) {
            (Some(global), Some(own)) => match Strategy::Hash.merge(global, own) {
                Ok(merged) => Some(merged),
                Err(message) => return self.error(message),
            },
            (global, own) => global.or(own),
        };
        self.c.hiera.shared_options = Some(merged.clone());
        Ok(merged)
    }

    /// The value of a key in the default hierarchy of its module.
    pub(super) fn in_module_defaults(&mut self, key: &LookupKey) -> EvalResult<Option<Value>> {
        let Some(module) = self.module.clone() else { return Ok(None) };
        let Some(provider) = self.provider(&Owner::Module(module.clone()))? else {
            return Ok(None);
        };
        if provider.config.default_hierarchy.is_none() {
            return Ok(None);
        }
        let name = ecow::eco_format!("Searching default_hierarchy of module \"{module}\"");
        self.with(
            || Node::Scope(name),
            |lookup| {
                let known = lookup.c.hiera.default_options.get(&module).cloned();
                let options = match known {
                    Some(options) => options,
                    None => {
                        let places = lookup.places.len();
                        let options = lookup.with(
                            || Node::Scope("Searching for \"lookup_options\"".into()),
                            |lookup| {
                                let hash = Value::from("hash");
                                lookup.in_provider_defaults(&provider, &options_key(), &hash)
                            },
                        )?;
                        lookup.places.truncate(places);
                        let options = match options {
                            Some(options) => {
                                let options = validated(options, Some(&module))?;
                                Some(Arc::new(Options::new(&options)?))
                            }
                            None => None,
                        };
                        lookup.c.hiera.default_options.insert(module, options.clone());
                        options
                    }
                };
                let own = options.as_ref().and_then(|o| o.of(key)).cloned();
                let merge = own.and_then(|o| o.get("merge").cloned()).unwrap_or_default();
                lookup.with(
                    || Node::Scope(ecow::eco_format!("Searching for \"{}\"", key.text)),
                    |lookup| lookup.in_provider_defaults(&provider, key, &merge),
                )
            },
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_literal_prefix_of_a_pattern() {
        let cases = [
            ("^ab::c$", "ab::c"),
            ("^ab.*", "ab"),
            ("^abc*d", "ab"),
            ("^abc?", "ab"),
            ("^a{0,1}b", ""),
            ("^abc+", "abc"),
            ("^ab|c", ""),
            ("^(?i)ab", ""),
            ("^^ab", ""),
        ];
        for (source, text) in cases {
            assert_eq!(prefix(source), text, "{source}");
        }
    }

    #[test]
    fn a_prefix_excludes_no_key_that_the_pattern_matches() {
        for source in ["^ab", "^ab*", "^abc?d", "^ab|cd", "^(?i)ab", "^ab{0}", "^a_b::.*::c$"] {
            let pattern = Pattern::new(source, Value::Undef).unwrap();
            for key in ["ab", "a", "abd", "cd", "AB", "x\nab", "a_b::x::c", "", "^ab"] {
                let matches = pattern.regex.is_match(key).unwrap();
                assert_eq!(pattern.fits(key), matches, "{source} {key}");
            }
        }
    }
}
