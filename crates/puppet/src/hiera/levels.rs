//! The levels of a hierarchy, with their paths resolved for a node, and their data.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_functions::uri::Uri;
use ordain_source::TextRange;

use super::config::{ConfigFault, FunctionKind, Level, Locations};
use super::explain::Node;
use super::files::{Data, DataFault, Format};
use super::interpolation::{METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED_ISSUE};
use super::key::{LookupKey, text_keys};
use super::location::{glob, join};
use super::lookup::{Lookup, data_fault, lookup_error};
use super::merge::Strategy;
use crate::catalog::DataPlace;
use crate::error::{EvalResult, PlainError, Unwind, plain};
use crate::hiera::state::FileData;
use crate::hiera::state::{CachedLevels, Levels, Location, ResolvedLevel};
use crate::hiera::state::{Provider, TrackedVariable};
use crate::value::Value;
use ordain_graph::language::Strict;

/// The function of levels with encrypted values; all other functions have plain ones.
const EYAML: &str = "eyaml_lookup_key";

/// The format of the files that a function reads, if the function is native.
fn format(kind: FunctionKind, function: &str) -> Option<Format> {
    match (kind, function) {
        (FunctionKind::DataHash, "yaml_data") => Some(Format::Yaml),
        (FunctionKind::DataHash, "json_data") => Some(Format::Json),
        (FunctionKind::DataHash, "hocon_data") => Some(Format::Hocon),
        (FunctionKind::LookupKey, EYAML) => Some(Format::Yaml),
        _ => None,
    }
}

/// The maximal number of variants that are kept of a hierarchy.
const VARIANTS: usize = 512;

impl Lookup<'_, '_> {
    /// The levels of a layer, with paths for the current values of the variables.
    pub(super) fn levels(&mut self, provider: &Arc<Provider>) -> EvalResult<Arc<CachedLevels>> {
        let known = self.c.hiera.resolved.get(&provider.id).and_then(|variants| variants.last());
        let known = known.cloned();
        if let Some(last) = &known {
            if self.is_stable(last) {
                return Ok(Arc::clone(last));
            }
            self.explain(|e| {
                e.text(
                    "Hiera configuration recreated due to change of scope variables used in \
                     interpolation expressions",
                );
            });
        }
        let other = known.as_ref().and_then(|last| self.other_variant(provider, last));
        let resolved = match other {
            Some(i) => Arc::clone(&self.c.hiera.resolved[&provider.id][i]),
            None => Arc::new(self.resolve(provider, known.as_ref())?),
        };
        let variants = self.c.hiera.resolved.entry(provider.id).or_default();
        match other {
            Some(i) => _ = variants.remove(i),
            None if variants.len() >= VARIANTS => _ = variants.remove(0),
            None => {}
        }
        variants.push(Arc::clone(&resolved));
        Ok(resolved)
    }

    /// An earlier variant of a hierarchy with the current values of the variables.
    fn other_variant(&self, provider: &Provider, last: &CachedLevels) -> Option<usize> {
        let now: Vec<Option<&Value>> = last.tracked.iter().map(|t| self.tracked(t)).collect();
        // Nearly always the variants depend on the same variables and differ in one of the last,
        // such as the name of the module. So variables are not looked up again for each variant.
        let fits = |variant: &Arc<CachedLevels>| {
            let pairs = variant.tracked.iter().zip(&last.tracked).zip(&now).rev();
            for ((own, other), now) in pairs {
                if own.root != other.root || own.segments != other.segments {
                    return self.is_stable(variant);
                }
                if own.value.as_ref() != *now {
                    return false;
                }
            }
            variant.tracked.len() <= now.len() || self.is_stable(variant)
        };
        self.c.hiera.resolved.get(&provider.id)?.iter().position(fits)
    }

    fn is_stable(&self, resolved: &CachedLevels) -> bool {
        resolved.tracked.iter().rev().all(|tracked| self.tracked(tracked) == tracked.value.as_ref())
    }

    /// The current value of a variable in a path.
    fn tracked(&self, tracked: &TrackedVariable) -> Option<&Value> {
        self.c.note_entry(self.scope, &tracked.root, text_keys(&tracked.segments));
        let value = match self.c.quiet_variable(self.scope, &tracked.root) {
            Some(Value::Str(text)) if self.old_scope && text.is_empty() => None,
            value => value,
        }?;
        tracked.segments.iter().try_fold(value, |value, segment| segment.entry(value))
    }

    /// Resolves the paths of a layer. Levels that equal those of the last variant are shared with
    /// it.
    fn resolve(
        &mut self,
        provider: &Arc<Provider>,
        last: Option<&Arc<CachedLevels>>,
    ) -> EvalResult<CachedLevels> {
        let saved = (std::mem::take(&mut self.overrides), std::mem::take(&mut self.defaults));
        let tracked = self.tracked.replace(Vec::new());
        let explainer = self.c.hiera.explainer.take();
        self.undefined = None;
        let result = self.resolve_levels(provider, last);
        self.c.hiera.explainer = explainer;
        let mine = std::mem::replace(&mut self.tracked, tracked).unwrap_or_default();
        (self.overrides, self.defaults) = saved;
        match result {
            Ok((main, defaults)) => Ok(CachedLevels { tracked: mine, main, defaults }),
            Err(unwind) => {
                if is_method_not_allowed(&unwind) {
                    return Err(self.method_in_config(provider));
                }
                match self.undefined.take() {
                    Some(name) => Err(self.undefined_in_config(provider, &name)),
                    None => Err(unwind),
                }
            }
        }
    }

    /// The error of a URI of a configuration. Even inside of a search it belongs to the function
    /// that looked up.
    fn bad_uri(&self, provider: &Provider, uri: &str, message: String) -> Box<Unwind> {
        let mut error = PlainError::new(message);
        let path = provider.config.path.as_deref();
        let place = path.and_then(|path| self.place(path, self.line_of(path, uri)));
        error.focus = place.map(|place| (place, String::new()));
        error.into()
    }

    fn method_in_config(&self, provider: &Provider) -> Box<Unwind> {
        let path = provider.config.path.clone();
        let text = path
            .as_deref()
            .and_then(|path| crate::hiera::text::read_text(self.c.env.world.as_ref(), path).ok());
        let has_method = |line: &str| {
            let mut parts = line.split("%{").skip(1);
            parts.any(|part| part.split('}').next().is_some_and(|name| name.contains('(')))
        };
        let line = text.and_then(|text| text.lines().position(has_method));
        self.fault(&ConfigFault {
            issue: Some(METHOD_NOT_ALLOWED_ISSUE),
            message: METHOD_NOT_ALLOWED.to_owned(),
            path,
            line: line.map(|line| line as u32 + 1),
            blame: None,
        })
    }

    fn undefined_in_config(&self, provider: &Provider, name: &str) -> Box<Unwind> {
        let path = provider.config.path.clone();
        let text = path
            .as_deref()
            .and_then(|path| crate::hiera::text::read_text(self.c.env.world.as_ref(), path).ok());
        let uses = ["%{", "%{'", "%{\""].map(|open| format!("{open}{name}"));
        let line = text.and_then(|text| {
            let code = |line: &str| line.split(" #").next().unwrap_or_default().to_owned();
            let at = text.lines().position(|l| uses.iter().any(|u| code(l).contains(u)))?;
            Some(at as u32 + 1)
        });
        self.fault(&ConfigFault {
            issue: Some("HIERA_UNDEFINED_VARIABLE"),
            message: format!("Undefined variable '{name}'"),
            path,
            line,
            blame: None,
        })
    }

    fn resolve_levels(
        &mut self,
        provider: &Provider,
        last: Option<&Arc<CachedLevels>>,
    ) -> EvalResult<(Levels, Levels)> {
        let config = Arc::clone(&provider.config);
        let mut both = [Vec::new(), Vec::new()];
        let levels =
            [config.hierarchy.as_slice(), config.default_hierarchy.as_deref().unwrap_or(&[])];
        let last = last.map_or([&[][..]; 2], CachedLevels::halves);
        for ((levels, last), out) in levels.into_iter().zip(last).zip(&mut both) {
            for (number, level) in levels.iter().enumerate() {
                if let Some(fault) = &level.twice {
                    return Err(self.fault(fault));
                }
                let is_same = |old: &&Arc<ResolvedLevel>| old.is_fixed && old.number == number;
                if let Some(old) = last.iter().find(is_same) {
                    out.push(Arc::clone(old));
                    continue;
                }
                let resolved = Arc::new(self.resolve_level(provider, number, level)?);
                let empty = resolved.locations.as_ref().is_some_and(Vec::is_empty);
                if config.path.is_some() || !empty {
                    out.push(resolved);
                }
            }
        }
        let [main, defaults] = both;
        Ok((main, defaults))
    }

    fn resolve_level(
        &mut self,
        provider: &Provider,
        number: usize,
        level: &Level,
    ) -> EvalResult<ResolvedLevel> {
        self.depends = false;
        let root = provider.config.root.to_string_lossy().into_owned();
        let datadir = if level.datadir.is_empty() {
            let codedir = self.c.setting("codedir");
            let codedir =
                codedir.as_ref().and_then(Value::as_str).unwrap_or("/etc/puppetlabs/code");
            format!("{codedir}/environments/%{{::environment}}/hieradata")
        } else if provider.config.version == 3 {
            level.datadir.to_string()
        } else {
            join(&root, &level.datadir)
        };
        let datadir = self.interpolate(&Value::str(datadir), false)?;
        let datadir = crate::value::ruby::ruby_text(&datadir);
        // In version 3, the interpolated directory decides whether the path is relative.
        let datadir = match provider.config.version {
            3 => join(&root, &datadir).into(),
            _ => datadir,
        };
        // Only version 5 allows variables in paths that a node may lack.
        let may_lack = provider.config.version == 5;
        let lenient = std::mem::replace(&mut self.lenient, may_lack);
        let locations = self.resolve_locations(provider, level, &datadir);
        self.lenient = lenient;
        let locations = locations?;
        let options = match (level.kind, &level.options) {
            (FunctionKind::Hiera3Backend, _) => self.backend_options(provider)?,
            (_, Some(options)) => self.interpolate(options, false)?,
            (_, None) => Value::Hash(Arc::default()),
        };
        // A backend looks for its files itself.
        let has_own_files = level.kind == FunctionKind::Hiera3Backend;
        let locations = locations.filter(|all: &Vec<_>| !(has_own_files && all.is_empty()));
        // The caches of functions belong to a variant, so it cannot be reused.
        let is_native = format(level.kind, &level.function).is_some();
        Ok(ResolvedLevel {
            number,
            is_fixed: is_native && !self.depends,
            name: level.name.clone(),
            kind: level.kind,
            function: level.function.clone(),
            options,
            datadir,
            exists: has_own_files
                || locations.as_ref().is_none_or(|all| all.iter().any(Location::exists)),
            locations,
            context: OnceLock::new(),
        })
    }

    fn resolve_locations(
        &mut self,
        provider: &Provider,
        level: &Level,
        datadir: &str,
    ) -> EvalResult<Option<Vec<Location>>> {
        let mut out = Vec::new();
        match &level.locations {
            Locations::None => return Ok(None),
            Locations::Paths(paths) => {
                out = self.path_locations(paths, level.extension.as_deref(), datadir)?;
                if provider.config.path.is_none() {
                    out.retain(Location::exists);
                }
            }
            Locations::Globs(patterns) => {
                for pattern in patterns {
                    let pattern = join(datadir, &self.path_text(pattern)?);
                    for path in glob(self.c.env.world.as_ref(), &pattern) {
                        out.push(self.file_location(&pattern, &path));
                    }
                }
            }
            Locations::Uris(uris) => {
                for uri in uris {
                    let shown: EcoString = self.path_text(uri)?.into();
                    if let Err(error) = shown.parse::<Uri>() {
                        return Err(self.bad_uri(provider, uri, error.to_string()));
                    }
                    out.push(Location {
                        original: uri.clone(),
                        shown,
                        uri: true,
                        file: None,
                        data: OnceLock::new(),
                        context: OnceLock::new(),
                    });
                }
            }
            Locations::Mapped([variable, item, template]) => {
                for value in self.mapped_values(variable)? {
                    let outer = self.local.replace((item.clone(), value));
                    let path = self.path_text(template);
                    self.local = outer;
                    out.push(self.file_location(template, &join(datadir, &path?)));
                }
            }
        }
        Ok(Some(out))
    }

    fn path_locations(
        &mut self,
        paths: &[EcoString],
        extension: Option<&str>,
        datadir: &str,
    ) -> EvalResult<Vec<Location>> {
        let mut out = Vec::new();
        for path in paths {
            let mut relative = self.path_text(path)?;
            if let Some(extension) = extension.filter(|e| !relative.ends_with(*e)) {
                relative.push_str(extension);
            }
            out.push(self.file_location(path, &join(datadir, &relative)));
        }
        Ok(out)
    }

    fn mapped_values(&mut self, variable: &str) -> EvalResult<Vec<Value>> {
        Ok(match self.scope_value(variable, "mapped_path[0]")? {
            Value::Str(text) if text.is_empty() => Vec::new(),
            text @ Value::Str(_) => vec![text],
            Value::Array(items) => (*items).clone(),
            Value::Hash(entries) => {
                entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
            }
            _ => Vec::new(),
        })
    }

    fn path_text(&mut self, text: &EcoString) -> EvalResult<String> {
        let value = self.interpolate(&Value::Str(text.clone()), false)?;
        Ok(crate::value::ruby::ruby_text(&value).into())
    }

    fn file_location(&self, original: &str, path: &str) -> Location {
        let env = self.c.env;
        Location {
            original: original.into(),
            shown: path.into(),
            uri: false,
            file: Some(env.hiera.file(env.world.as_ref(), Path::new(path))),
            data: OnceLock::new(),
            context: OnceLock::new(),
        }
    }

    /// The value of a key in a level.
    pub(super) fn in_level(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> EvalResult<Option<Value>> {
        let first = match provider.config.version == 3 && !self.first_paths.is_empty() {
            true => {
                let paths = self.first_paths.clone();
                let extension = provider.config.hierarchy.get(level.number);
                let extension = extension.and_then(|level| level.extension.as_deref());
                self.path_locations(&paths, extension, &level.datadir)?
            }
            false => Vec::new(),
        };
        if !level.exists && first.is_empty() && self.c.hiera.explainer.is_none() {
            return Ok(None);
        }
        self.strategy = strategy.clone();
        let node = || Node::Provider {
            name: match level.kind {
                FunctionKind::V4DataHash => {
                    format!("Deprecated API function \"{}\"", level.function)
                }
                _ => format!("Hierarchy entry \"{}\"", level.name),
            },
            config: None,
            module: None,
        };
        self.with(node, |lookup| match &level.locations {
            None => lookup.at_location(provider, level, None, key),
            Some(locations) if first.is_empty() => {
                lookup.merged(strategy, locations, |lookup, location| {
                    lookup.in_location(provider, level, location, key)
                })
            }
            Some(locations) => {
                let all: Vec<_> = first.iter().chain(locations).collect();
                lookup.merged(strategy, &all, |lookup, location| {
                    lookup.in_location(provider, level, location, key)
                })
            }
        })
    }

    fn in_location(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        location: &Location,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        self.with(
            || location.node(),
            |lookup| {
                if location.exists() || level.kind == FunctionKind::Hiera3Backend {
                    return lookup.at_location(provider, level, Some(location), key);
                }
                lookup.explain(super::explain::Explainer::location_not_found);
                Ok(None)
            },
        )
    }

    fn at_location(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        location: Option<&Location>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let Some(format) = format(level.kind, &level.function) else {
            return self.call_level_function(provider, level, location, key);
        };
        let has_options = level.function != EYAML
            && level.options.as_hash().is_some_and(|options| !options.is_empty());
        let Some(location) = location.filter(|l| l.file.is_some() && !has_options) else {
            let (function, tag) = (&level.function, level.kind.tag());
            let colon = if level.kind == FunctionKind::LookupKey { ":" } else { "" };
            return plain(format!(
                "'{function}'{colon} one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must \
                 be declared in hiera.yaml when using this {tag} function"
            ));
        };
        if location.data.get().is_none() {
            let data = self.load(provider, level, location, format)?;
            let _ = location.data.set(data);
        }
        let entry = location.data.get().and_then(|data| data.entries.get(&key.root));
        let visible = |module: &EcoString| {
            let rest = key.root.strip_prefix(module.as_str());
            key.root == "lookup_options" || rest.is_some_and(|rest| rest.starts_with("::"))
        };
        let Some(entry) = entry.filter(|_| provider.module().is_none_or(visible)) else {
            self.explain(|e| e.not_found(key.root.clone()));
            return Ok(None);
        };
        let value = self.entry_value(level, location, key, entry).map_err(|unwind| {
            let file = location.shown.clone();
            self.in_data(unwind, DataPlace { key: key.root.clone(), file, line: entry.line })
        })?;
        self.explain(|e| e.found(key.root.clone(), value.clone()));
        if let Some(used) = &self.c.settings.used {
            used.note_key(&location.shown, &key.root);
        }
        if self.nested == 0 {
            let file = location.shown.clone();
            self.places.push(DataPlace { key: key.root.clone(), file, line: entry.line });
        }
        Ok(Some(value))
    }

    /// Adds the place in data to an error: the interpolation that failed, else the value.
    fn in_data(&self, mut unwind: Box<Unwind>, place: DataPlace) -> Box<Unwind> {
        let Unwind::Error(error) = &mut *unwind else { return unwind };
        if error.focus.is_some() {
            return unwind;
        }
        let Some(span) = self.c.data_place(&place) else { return unwind };
        let file = self.c.env.sources.file(span.file);
        let (start, end) = (span.range.start as usize, span.range.end as usize);
        let written = file.text.get(start..end).unwrap_or("");
        let range = error.interpolation.as_deref().and_then(|expression| {
            written.match_indices("%{").find_map(|(at, _)| {
                let end = at + written[at..].find('}')? + 1;
                let is_failed = written[at..end].contains(expression);
                is_failed.then(|| TextRange::new((start + at) as u32, (start + end) as u32))
            })
        });
        let range = range.unwrap_or(span.range);
        error.focus = Some((range.in_file(span.file), String::new()));
        unwind
    }

    /// The value of an entry, decrypted and interpolated.
    fn entry_value(
        &mut self,
        level: &ResolvedLevel,
        location: &Location,
        key: &LookupKey,
        entry: &super::files::Entry,
    ) -> EvalResult {
        if !entry.allowed {
            return lookup_error(format!(
                "Value for key '{}', in hash returned from data_hash function '{}', when using \
                 location '{}', has wrong type, expects Puppet::LookupValue, got {}",
                key.root,
                level.function,
                location.shown,
                crate::types::infer(&entry.value)
            ));
        }
        match level.function == EYAML && super::eyaml::is_encrypted(&entry.value) {
            true => {
                let place = DataPlace {
                    key: key.root.clone(),
                    file: location.shown.clone(),
                    line: entry.line,
                };
                let opened = self.decrypted(&level.options, &place, &entry.value)?;
                self.interpolate(&opened, true)
            }
            false if entry.dynamic => self.interpolate(&entry.value, true),
            false => Ok(entry.value.clone()),
        }
    }

    fn load(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        location: &Location,
        format: Format,
    ) -> EvalResult<Arc<Data>> {
        let Some(file) = &location.file else { return Ok(Arc::default()) };
        let path = &location.shown;
        if let Some(known) = self.c.hiera.file_data.get(&file.path) {
            return match known {
                FileData::Data(data) => Ok(Arc::clone(data)),
                FileData::Value(Value::Hash(entries)) => Ok(Arc::new(Data::of_hash(entries))),
                FileData::Value(other) => {
                    let (tag, function) = (level.kind.tag(), &level.function);
                    let got = super::text::type_word(other);
                    self.error(format!(
                        "Value returned from {tag} function '{function}', when using location \
                         '{path}', has wrong type, expects a Hash value, got {got}"
                    ))
                }
            };
        }
        let no_hash = format!("{path}: file does not contain a valid yaml hash");
        let data = match file.data(self.c.env.world.as_ref(), format) {
            Ok(data) => Arc::clone(data),
            Err(DataFault::Syntax(fault)) => {
                return Err(data_fault(fault, &file.path, &self.c.env.sources));
            }
            Err(DataFault::NoHash(got)) if format == Format::Json => {
                return self.error(format!(
                    "Value returned from data_hash function 'json_data', when using location \
                     '{path}', has wrong type, expects a Hash value, got {got}"
                ));
            }
            Err(DataFault::NoHash(_)) if self.c.settings.strict == Strict::Error => {
                return lookup_error(no_hash);
            }
            Err(DataFault::NoHash(_)) => Arc::new(Data { empty: true, ..Data::default() }),
        };
        self.c.hiera.file_data.insert(file.path.clone(), FileData::Data(Arc::clone(&data)));
        if data.empty {
            self.warn_once(&format!("empty {path}"), no_hash);
        }
        if let Some(module) = provider.module().filter(|_| level.kind == FunctionKind::DataHash) {
            for key in data.entries.keys() {
                let own = key.strip_prefix(module.as_str()).is_some_and(|k| k.starts_with("::"));
                if !own && key != "lookup_options" {
                    let function = &level.function;
                    let text = format!(
                        "Module '{module}': Value returned from data_hash function '{function}', \
                         when using location '{path}', must use keys qualified with the name of \
                         the module; got {key}"
                    );
                    self.warn_once(&format!("unqualified {path} {key}"), text);
                }
            }
        }
        Ok(data)
    }
}

/// The path of a location, for functions that read files themselves.
pub(super) fn path_of(text: &str) -> PathBuf {
    PathBuf::from(text)
}

/// Whether the error is that an interpolation uses a method where only variables are allowed.
fn is_method_not_allowed(unwind: &Unwind) -> bool {
    matches!(unwind, Unwind::Error(error) if error.issue.as_deref() == Some(METHOD_NOT_ALLOWED_ISSUE))
}
