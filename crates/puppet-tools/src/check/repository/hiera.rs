//! Hiera's data: keys of unknown classes and parameters, and values of wrong types.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::language::{CheckOptions, Strict};
use ordain_source::{Diagnostic, FileId, TextRange, World};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::Index;
use super::layout::{Kind, files_below};
use super::levels::{self, KnownKeys};
use super::scopes::Scopes;
use super::types::text;
use super::units::{DataEntry, DataFile};
use super::{Unit, facts, silence};
use crate::check::repository::pass::{DisplayPaths, Group, MAX, Pass, Text};
use ordain_puppet::hiera::config::{Config, Locations, Owner};
use ordain_puppet::hiera::interpolation::{self, Piece};
use ordain_puppet::hiera::values::{from_data, needs_interpolation};
use ordain_puppet::syntax::{self, Expr, Program};
use ordain_puppet::types::{Regexp, infer_set, is_instance, mismatch};
use ordain_puppet::validation::names::{nearest, plain, split_name};
use ordain_puppet::value::Value;

const UNKNOWN_DATA_KEY: &str = "puppet::unknown-data-key";
const TYPE_MISMATCH: &str = "puppet::type-mismatch";
const INVALID_DATA: &str = "puppet::invalid-data";

/// The type of secrets.
const SENSITIVE: &str = "Sensitive";

/// The extensions of data files.
const ENDS: [&str; 4] = [".yaml", ".yml", ".eyaml", ".json"];
/// The extension of data files of the function `hocon_data`.
const HOCON: &str = ".conf";

/// Functions that look up their first argument.
const LOOKING_UP: [&str; 6] =
    ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include", "dynamic_lookup"];

/// A data file that a hierarchy reaches.
struct Source {
    file: FileId,
    text: Arc<str>,
    data: Arc<DataFile>,
    /// Whether its findings are reported.
    is_named: bool,
}

/// The keys that are used, besides those of classes.
#[derive(Default)]
struct Keys {
    /// Keys that code or data looks up.
    used: FxHashSet<EcoString>,
    /// The beginnings of computed keys.
    prefixes: Vec<EcoString>,
    /// Keys whose values are converted or merged, and patterns of such keys.
    changed: FxHashSet<EcoString>,
    changed_patterns: Vec<Regexp>,
    /// Keys whose values become sensitive, and patterns of such keys.
    secret: FxHashSet<EcoString>,
    secret_patterns: Vec<Regexp>,
}

/// Runs the rules over all data.
pub(super) fn check(
    group: &Group<'_>,
    index: &Index,
    programs: &[Text],
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
) -> Vec<Diagnostic> {
    if group.root.kind == Kind::Loose {
        return Vec::new();
    }
    let (mut sources, mut found) = sources(group, index, checking, shown);
    found.extend(levels::check(group, index, checking.world));
    let is_whole = !group.files.iter().any(|file| matches!(file.unit, Unit::Broken));
    let known = sources
        .iter()
        .filter(|_| is_whole)
        .flat_map(|source| source.data.entries.iter().map(|e| &e.key));
    let known = KnownKeys::of(index, checking, known);
    sources.extend(configurations(group));
    if sources.is_empty() {
        return found;
    }
    let mut keys = Keys::default();
    programs.iter().for_each(|program| keys.add_program(&program.scopes.program));
    sources.iter().for_each(|source| keys.add_source(source));
    for program in programs.iter().filter(|program| program.is_named && !program.is_aside) {
        let program = &program.scopes.program;
        found.extend(silence::kept(known.looked_up(index, program), &program.text));
    }
    let nothing = Arc::new(syntax::parse(FileId(0), "").program);
    let scopes = Scopes::of(&nothing);
    let of_source = |source: &Source| {
        let secret = source.data.entries.iter().filter(|entry| keys.is_secret(&entry.key));
        let file = checking.sources.file(source.file);
        secret.for_each(|entry| file.hide(entry.value_at));
        let mut pass = Pass {
            is_data: true,
            ..Pass::of_data(index, source.file, &nothing, &scopes, checking.facts)
        };
        source.data.entries.iter().for_each(|entry| entry_rules(&mut pass, &keys, entry));
        interpolations(&mut pass, &known, &source.text);
        // If the parameter takes a secret, the value in the data is a secret even if its type is
        // wrong.
        let secret = pass.found.iter().filter_map(|found| found.primary.as_ref());
        let secret = secret.filter(|label| label.text.contains(SENSITIVE));
        secret.for_each(|label| file.hide(label.span.range));
        pass.found.truncate(MAX);
        silence::kept(pass.found, &source.text)
    };
    let named = sources.par_iter().filter(|source| source.is_named);
    found.extend(named.flat_map_iter(of_source).collect::<Vec<_>>());
    found
}

/// The named configurations, whose interpolations are checked.
fn configurations<'a>(group: &'a Group<'_>) -> impl Iterator<Item = Source> + 'a {
    let files = group.files.iter().filter(|file| matches!(file.unit, Unit::Config));
    files.map(|file| Source {
        file: file.source.file,
        text: Arc::clone(&file.source.text),
        data: Arc::default(),
        is_named: true,
    })
}

/// The data files that a hierarchy of the environment or of a module refers to. They are read even
/// if they were not named. If the whole repository was named, they count as named.
fn sources(
    group: &Group<'_>,
    index: &Index,
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
) -> (Vec<Source>, Vec<Diagnostic>) {
    let mut named = FxHashMap::default();
    let mut broken: FxHashSet<&Path> = FxHashSet::default();
    for file in &group.files {
        match file.unit {
            Unit::Data(data) => {
                named.insert(file.source.full.to_path_buf(), (file.source, data));
            }
            Unit::Broken => drop(broken.insert(file.source.full)),
            _ => {}
        }
    }
    let mut reached = reached(group, index, checking.world, named.keys());
    reached.retain(|path| !broken.contains(path.as_path()));
    let read = |path: PathBuf| -> Option<Result<Source, Diagnostic>> {
        if let Some((source, data)) = named.get(&path) {
            let (text, data) = (Arc::clone(&source.text), Arc::clone(data));
            return Some(Ok(Source { file: source.file, text, data, is_named: true }));
        }
        let text = String::from_utf8(checking.world.read(&path).ok()?).ok()?;
        let text: Arc<str> = text.into();
        let covers = index.is_whole && path.starts_with(&index.dir);
        let file = checking.sources.add(shown.path(&path), Arc::clone(&text));
        if path.as_os_str().as_encoded_bytes().ends_with(HOCON.as_bytes()) {
            return Some(hocon(file, text, covers).map_err(|found| *found));
        }
        match DataFile::yaml(&text) {
            Ok(data) => Some(Ok(Source { file, text, data: Arc::new(data), is_named: covers })),
            Err(error) if covers => {
                let at = error.range.in_file(file);
                Some(Err(Diagnostic::error(INVALID_DATA, error.message).at(at)))
            }
            Err(_) => None,
        }
    };
    let all: Vec<_> = reached.into_par_iter().filter_map(read).collect();
    let (mut sources, mut found) = (Vec::new(), Vec::new());
    for one in all {
        match one {
            Ok(source) => sources.push(source),
            Err(error) => found.push(error),
        }
    }
    (sources, found)
}

/// A data file in HOCON. Substitutions from the environment are unknown.
fn hocon(file: FileId, text: Arc<str>, is_named: bool) -> Result<Source, Box<Diagnostic>> {
    match DataFile::hocon(&text) {
        Ok(data) => Ok(Source { file, text, data: Arc::new(data), is_named }),
        Err(message) => {
            let place = TextRange::new(0, 0).in_file(file);
            Err(Box::new(Diagnostic::error(INVALID_DATA, message).at(place)))
        }
    }
}

fn reached<'p>(
    group: &Group<'_>,
    index: &Index,
    world: &dyn World,
    named: impl Iterator<Item = &'p PathBuf>,
) -> Vec<PathBuf> {
    let mut files: BTreeMap<PathBuf, ()> = BTreeMap::new();
    let mut add = |paths: Vec<PathBuf>| files.extend(paths.into_iter().map(|path| (path, ())));
    let root = &group.root.dir;
    let mut own = Vec::new();
    if group.root.kind == Kind::Environment {
        own = of_config(world, root, &Owner::Environment);
    }
    if own.is_empty() && group.root.kind == Kind::Environment {
        // The hierarchy of the global layer is unknown, but its data may be in the usual
        // directories.
        let usual = [root.join("data"), root.join("hieradata")];
        own = named.filter(|path| usual.iter().any(|dir| path.starts_with(dir))).cloned().collect();
    }
    add(own);
    for module in &index.modules {
        add(of_config(world, &module.dir, &Owner::Module(module.name.clone())));
    }
    files.into_keys().collect()
}

/// The files that the `hiera.yaml` of a directory may refer to.
fn of_config(world: &dyn World, dir: &Path, owner: &Owner) -> Vec<PathBuf> {
    let path = dir.join("hiera.yaml");
    let Ok(bytes) = world.read(&path) else { return Vec::new() };
    let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
    let Ok(config) = Config::read(&path, &text, owner, Strict::Warning) else { return Vec::new() };
    let mut out = Vec::new();
    let mut walked: FxHashSet<PathBuf> = FxHashSet::default();
    let defaults = config.default_hierarchy.iter().flatten();
    // A function of a module reads its files in its own way.
    for level in config.hierarchy.iter().chain(defaults).filter(|level| levels::is_read(level)) {
        let base = dir.join(level.datadir.as_str());
        let paths = match &level.locations {
            Locations::Paths(paths) | Locations::Globs(paths) => paths.as_slice(),
            Locations::Mapped([_, _, path]) => std::slice::from_ref(path),
            Locations::None | Locations::Uris(_) => continue,
        };
        for path in paths {
            let full = base.join(path.as_str());
            let text = full.to_string_lossy();
            let Some(end) = text.find(['%', '*', '?', '[', '{']) else {
                out.extend(existing(world, &full, level.extension.as_deref()));
                continue;
            };
            let constant = &text[..text[..end].rfind('/').unwrap_or(0)];
            let constant = PathBuf::from(constant);
            // The repository itself is not a data directory.
            if dir.starts_with(&constant) || !walked.insert(constant.clone()) {
                continue;
            }
            match level.function == "hocon_data" {
                true => out.extend(files_below(world, &constant, &[HOCON])),
                false => out.extend(files_below(world, &constant, &ENDS)),
            }
        }
    }
    out
}

fn existing(world: &dyn World, path: &Path, extension: Option<&str>) -> Option<PathBuf> {
    let is_file = |path: &Path| world.kind(path) == Some(ordain_source::EntryKind::File);
    if is_file(path) {
        return Some(path.to_path_buf());
    }
    let mut longer = path.as_os_str().to_owned();
    longer.push(extension.unwrap_or(".yaml"));
    let longer = PathBuf::from(longer);
    is_file(&longer).then_some(longer)
}

impl Keys {
    fn add_program(&mut self, program: &Program) {
        for (_, call) in program.calls.iter() {
            let Expr::Name(name) = &program[call.callee] else { continue };
            if !LOOKING_UP.contains(&name.as_str()) {
                continue;
            }
            let Some(&first) = program.list(call.args).first() else { continue };
            let list = [first];
            let keys = match &program[first] {
                Expr::List(items) => program.list(*items),
                _ => &list,
            };
            for &key in keys {
                match &program[key] {
                    Expr::Concat(parts) => {
                        let part = program.list(*parts).first().map(|&part| &program[part]);
                        if let Some(Expr::Str(prefix)) = part {
                            self.prefixes.push(prefix.clone());
                        } else {
                            self.prefixes.push("".into());
                        }
                    }
                    _ => self.used.extend(text(program, key).map(|t| root_of(t))),
                }
            }
        }
    }

    fn add_source(&mut self, source: &Source) {
        for (_, expression) in expressions(&source.text) {
            if let Some((_, argument)) = expression.split_once('(') {
                let quotes = |c: char| matches!(c, '\'' | '"' | '\\' | ')' | ' ');
                self.used.insert(root_of(argument.trim_matches(quotes)));
            }
        }
        let options = source.data.entries.iter().find(|e| e.key == "lookup_options");
        let options = options.and_then(|e| e.value.as_map());
        for (key, options) in options.into_iter().flatten() {
            let Some(key) = key.as_str() else { continue };
            if options.get("convert_to").is_none() && options.get("merge").is_none() {
                continue;
            }
            let to = options.get("convert_to");
            let to = to.map(|to| to.as_list().and_then(<[_]>::first).unwrap_or(to));
            let is_secret = to.and_then(|to| to.as_str()).is_some_and(|to| to.contains(SENSITIVE));
            match key.starts_with('^') {
                true => {
                    self.changed_patterns.push(Regexp::new(key));
                    self.secret_patterns.extend(is_secret.then(|| Regexp::new(key)));
                }
                false => {
                    self.changed.insert(key.into());
                    self.secret.extend(is_secret.then(|| EcoString::from(key)));
                }
            }
        }
    }

    fn uses(&self, key: &str) -> bool {
        self.used.contains(key)
            || self.prefixes.iter().any(|p| !p.is_empty() && key.starts_with(p.as_str()))
    }

    /// Whether the value of a key must not be shown.
    fn is_secret(&self, key: &str) -> bool {
        self.secret.contains(key) || self.secret_patterns.iter().any(|p| p.is_match(key))
    }

    fn changes(&self, key: &str) -> bool {
        self.changed.contains(key) || self.changed_patterns.iter().any(|p| p.is_match(key))
    }
}

/// The part of a key before its first dot.
fn root_of(key: &str) -> EcoString {
    key.split('.').next().unwrap_or(key).trim_matches(['\'', '"']).into()
}

/// The expressions `%{…}` of a text with their places.
fn expressions(text: &str) -> impl Iterator<Item = (TextRange, &str)> {
    text.match_indices("%{").filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let end = rest.find(['}', '\n']).filter(|end| rest[*end..].starts_with('}'))?;
        Some((TextRange::new(at as u32, (at + end + 3) as u32), rest[..end].trim()))
    })
}

/// Facts in interpolations.
fn interpolations(pass: &mut Pass<'_>, known: &KnownKeys, text: &str) {
    for (at, expression) in expressions(text) {
        let line = &text[text[..at.start as usize].rfind('\n').map_or(0, |n| n + 1)..];
        if line.trim_start().starts_with('#') {
            continue;
        }
        match expression.contains('(') {
            true => method(pass, known, &text[at.start as usize..at.end as usize], at),
            false => facts::in_data(pass, expression, at),
        }
    }
}

/// Reports an unknown method of an interpolation, or a key that nothing has.
fn method(pass: &mut Pass<'_>, known: &KnownKeys, written: &str, at: TextRange) {
    let pieces = interpolation::parse(written);
    let [Piece::Method { name, argument }] = pieces.as_slice() else { return };
    if interpolation::METHODS.contains(name) {
        if matches!(*name, "lookup" | "hiera" | "alias") {
            pass.found.extend(known.check(pass.index, argument, at, pass.file));
        }
        return;
    }
    let message = format!("There is no interpolation method `{name}`");
    let mut found = Diagnostic::error(INVALID_DATA, message).at(at.in_file(pass.file));
    if let Some(near) = nearest(name, interpolation::METHODS) {
        found = found.help(format!("did you mean `{near}`?"));
    }
    pass.found.push(found);
}

fn entry_rules(pass: &mut Pass<'_>, keys: &Keys, entry: &DataEntry) {
    if pass.is_full() {
        return;
    }
    if entry.key == "lookup_options" {
        for (key, at) in &entry.below {
            match key.starts_with('^') {
                true => pattern(pass, keys, key, *at),
                false => drop(key_rules(pass, keys, key, *at)),
            }
        }
        return;
    }
    if key_rules(pass, keys, &entry.key, entry.at) {
        value_rules(pass, keys, entry);
    }
}

/// Checks that a key belongs to a parameter, and reports it if it cannot.
fn key_rules(pass: &mut Pass<'_>, keys: &Keys, key: &str, at: TextRange) -> bool {
    let Some((class, param)) = split_name(key) else { return false };
    let index = pass.index;
    if class.is_empty() || class.starts_with("::") || key.contains(['%', '.', ' ']) {
        return false;
    }
    if let Some(def) = index.classes.get(class) {
        let params = def.program.params(def.params);
        if params.iter().any(|p| p.name == param) {
            return true;
        }
        if !keys.uses(key) {
            let near = nearest(param, params.iter().map(|p| p.name.as_str()));
            let near = near.map(|near| format!("{class}::{near}"));
            report(pass, at, format!("The class `{class}` has no parameter `{param}`"), near);
        }
        return false;
    }
    let module = class.split("::").next().unwrap_or_default();
    if !index.has_module(module) || keys.uses(key) {
        return false;
    }
    if index.defines.contains_key(class) {
        let text = format!("`{class}` is a define, whose parameters are not looked up");
        report(pass, at, text, None);
        return false;
    }
    // Several keys may belong to one class; it is reported once.
    if !pass.unknown_classes.insert(class.into()) {
        return false;
    }
    let message = format!("There is no class `{class}`, and nothing looks up this key");
    let near = nearest(class, index.classes.keys().map(EcoString::as_str));
    let near = near.map(|near| format!("{near}::{param}"));
    report(pass, at, message, near);
    false
}

fn report(pass: &mut Pass<'_>, at: TextRange, message: String, near: Option<String>) {
    let mut found = Diagnostic::warning(UNKNOWN_DATA_KEY, message).at(at.in_file(pass.file));
    if let Some(near) = near {
        found = found.help(format!("did you mean `{near}`?"));
    }
    pass.found.push(found);
}

/// A pattern of `lookup_options`.
fn pattern(pass: &mut Pass<'_>, keys: &Keys, pattern: &str, at: TextRange) {
    let regexp = Regexp::new(pattern);
    if let Err(reason) = regexp.regex() {
        let message = format!("The pattern cannot be read: {reason}");
        let found = Diagnostic::error(INVALID_DATA, message).at(at.in_file(pass.file));
        return pass.found.push(found);
    }
    let index = pass.index;
    let module = pattern.trim_start_matches(['^', '(', ':']).split("::").next();
    let module = module.unwrap_or_default();
    if !pattern.contains("::") || !index.has_module(module) {
        return;
    }
    let mut parameters = index.classes.values().flat_map(|def| {
        let params = def.program.params(def.params).iter();
        params.map(|p| ecow::eco_format!("{}::{}", def.name, p.name))
    });
    if parameters.any(|name| regexp.is_match(&name)) || keys.used.iter().any(|k| regexp.is_match(k))
    {
        return;
    }
    report(pass, at, format!("No parameter and no key fits the pattern `{pattern}`"), None);
}

/// The type of a value that is the same for every node.
fn value_rules(pass: &mut Pass<'_>, keys: &Keys, entry: &DataEntry) {
    let Some((class, param)) = split_name(&entry.key) else { return };
    let Some(def) = pass.index.classes.get(&plain(class)) else { return };
    let Some(param) = def.program.params(def.params).iter().find(|p| p.name == param) else {
        return;
    };
    let Some(kind) = param.kind else { return };
    let value = from_data(&entry.value);
    if value.is_undef() || needs_interpolation(&value) || is_encrypted(&value) {
        return;
    }
    if keys.changes(&entry.key) {
        return;
    }
    let Some(kind) = pass.index.types.type_of(&def.program, kind) else { return };
    if is_instance(&kind, &value) {
        return;
    }
    let subject = format!("Parameter `{}` of class `{class}`", param.name);
    let message = mismatch::describe_mismatch(&subject, &kind, &infer_set(&value));
    if message.is_empty() {
        return;
    }
    let span = param.range.in_file(def.program.file);
    let label = format!("`{}` takes {}", param.name, mismatch::short_type(&kind));
    let mut found = Diagnostic::warning(TYPE_MISMATCH, message)
        .labelled(entry.value_at.in_file(pass.file), label)
        .related(span, "declared here");
    found.help.extend(mismatch::unquoted(&kind, &value));
    pass.found.push(found);
}

/// Whether a value has an encrypted text, which may be anything.
fn is_encrypted(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.contains("ENC["),
        Value::Array(items) => items.iter().any(is_encrypted),
        Value::Hash(entries) => entries.values().any(is_encrypted),
        _ => false,
    }
}
