//! Data files and configurations, read once for all compiles of an environment.

use std::ffi::OsString;
use std::fmt;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_data::yaml::{ErrorKind as YamlErrorKind, Schema, Tree, advice};
use ordain_source::inputs::{Aspect, note_path, note_unrepeatable};
use ordain_source::{SourceMap, Span, TextRange, World};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::config::{Config, ConfigFault, Owner};
use super::eyaml::Secrets;
use crate::hiera::text::{read_text, text_of, unreadable};
use crate::hiera::values::{from_data, needs_interpolation};
use crate::value::{HashValue, Value};

/// Results per file. The compile that needs one first makes it; the others wait.
type Slots<T> = FxHashMap<OsString, Arc<OnceLock<T>>>;

/// A configuration, or the reason why it cannot be used.
type ReadConfig = Result<Arc<Config>, ConfigFault>;

/// The read data files and `hiera.yaml` files of an environment.
#[derive(Default)]
pub struct Files {
    files: RwLock<Slots<Arc<File>>>,
    configs: RwLock<Slots<Option<Arc<ReadConfig>>>>,
    data_providers: RwLock<FxHashMap<OsString, Option<EcoString>>>,
    /// The keys, and the decrypted values.
    pub(super) secrets: Secrets,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

/// A file that a hierarchy points to.
#[derive(Debug)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Whether the path exists.
    pub exists: bool,
    /// Its content, until it is parsed.
    content: Mutex<Option<Vec<u8>>>,
    yaml: OnceLock<Result<Arc<Data>, DataFault>>,
    json: OnceLock<Result<Arc<Data>, DataFault>>,
    hocon: OnceLock<Result<Arc<Data>, DataFault>>,
}

/// The content of a data file.
#[derive(Default, Debug)]
pub struct Data {
    /// Its entries with text keys.
    pub entries: IndexMap<EcoString, Entry, FxBuildHasher>,
    /// Whether the document is empty, which Puppet warns about.
    pub empty: bool,
}

impl Data {
    /// The whole as a hash.
    pub fn value(&self) -> Value {
        Value::hash(self.entries.iter().map(|(key, entry)| (key.clone(), entry.value.clone())))
    }

    /// Data that a function read from a file.
    pub(super) fn of_hash(entries: &HashValue) -> Self {
        let text_keys = entries.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
        let entries = text_keys.map(|(key, value)| (key.into(), entry(value.clone(), 0)));
        Self { entries: entries.collect(), empty: false }
    }
}

/// An entry of a data file.
#[derive(Debug)]
pub struct Entry {
    /// Its value before interpolation.
    pub value: Value,
    /// Whether anything in it must be interpolated.
    pub dynamic: bool,
    /// Whether data may have this type.
    pub allowed: bool,
    /// The line of its key, 0 if unknown.
    pub line: u32,
}

/// An error in a data file.
#[derive(Clone, Debug)]
pub enum DataFault {
    /// The text cannot be read or parsed.
    Syntax(SyntaxFault),
    /// The document has this type instead of a hash.
    NoHash(&'static str),
}

/// An error in the text of a data file.
#[derive(Clone, Debug)]
pub struct SyntaxFault {
    /// The whole message, including the place in words.
    pub message: String,
    /// The text of the label, and the text and range that it is about; `None` for an unreadable
    /// file.
    pub place: Option<(String, Arc<str>, TextRange)>,
    /// Help.
    pub help: Option<&'static str>,
}

impl SyntaxFault {
    fn of_text(path: &Path, text: &str, error: &dyn fmt::Display, at: TextRange) -> Self {
        Self {
            message: format!("Unable to parse ({}): {error}", path.display()),
            place: Some((String::new(), text.into(), at)),
            help: None,
        }
    }

    /// The place in the sources, with the text of its label.
    pub(super) fn label(&self, path: &Path, sources: &SourceMap) -> Option<(Span, String)> {
        let (what, text, range) = self.place.as_ref()?;
        let file = sources.add(path, Arc::clone(text));
        Some((range.in_file(file), what.clone()))
    }
}

/// The format of a data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// YAML as Ruby reads it.
    Yaml,
    /// JSON.
    Json,
    /// HOCON, whose substitutions may name environment variables.
    Hocon,
}

impl Files {
    /// The file at a path.
    pub fn file(&self, world: &dyn World, path: &Path) -> Arc<File> {
        note_path(if is_data(path) { Aspect::Content } else { Aspect::Kind }, path);
        let known = read(&self.files).get(path.as_os_str()).cloned();
        let slot = known.unwrap_or_else(|| {
            let mut files = self.files.write().unwrap_or_else(|e| e.into_inner());
            Arc::clone(files.entry(path.into()).or_default())
        });
        Arc::clone(slot.get_or_init(|| Arc::new(File::look(world, path))))
    }

    /// The data provider that a `metadata.json` or an `environment.conf` names.
    pub(super) fn data_provider(&self, world: &dyn World, path: &Path) -> Option<EcoString> {
        note_path(Aspect::Content, path);
        if let Some(known) = read(&self.data_providers).get(path.as_os_str()) {
            return known.clone();
        }
        let found = world.read(path).ok().and_then(|bytes| named(path, &bytes));
        let mut known = self.data_providers.write().unwrap_or_else(|e| e.into_inner());
        known.insert(path.into(), found.clone());
        found
    }

    /// The configuration at a path; `None` if there is no such file.
    pub(super) fn config(
        &self,
        world: &dyn World,
        path: &Path,
        owner: &Owner,
        strict: ordain_graph::language::Strict,
    ) -> Option<Arc<ReadConfig>> {
        note_path(Aspect::Content, path);
        let known = read(&self.configs).get(path.as_os_str()).cloned();
        let slot = known.unwrap_or_else(|| {
            let mut configs = self.configs.write().unwrap_or_else(|e| e.into_inner());
            Arc::clone(configs.entry(path.into()).or_default())
        });
        slot.get_or_init(|| {
            let config = match world.read(path) {
                Ok(bytes) => match text_of(path, bytes) {
                    Ok(text) => Config::read(path, &text, owner, strict).map(Arc::new),
                    Err(message) => Err(ConfigFault::plain(message)),
                },
                Err(error) if is_missing(&error) || error.kind() == ErrorKind::IsADirectory => {
                    return None;
                }
                Err(error) => Err(ConfigFault::plain(unreadable(path, &error))),
            };
            Some(Arc::new(config))
        })
        .clone()
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|e| e.into_inner())
}

fn is_missing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether a file is read as soon as a hierarchy refers to it, which also shows whether it exists.
/// This is done for files with the names of data files.
fn is_data(path: &Path) -> bool {
    let data = ["yaml", "yml", "eyaml", "json", "conf"];
    path.extension().is_some_and(|ending| data.iter().any(|data| ending == *data))
}

impl File {
    fn look(world: &dyn World, path: &Path) -> Self {
        let (exists, content) = match is_data(path).then(|| world.read(path)) {
            Some(Ok(content)) => (true, Some(content)),
            Some(Err(error)) if is_missing(&error) => (false, None),
            _ => (world.kind(path).is_some(), None),
        };
        Self {
            path: path.to_path_buf(),
            exists,
            content: Mutex::new(content),
            yaml: OnceLock::new(),
            json: OnceLock::new(),
            hocon: OnceLock::new(),
        }
    }

    /// Its content, read by the first caller.
    ///
    /// # Errors
    /// When it cannot be read or is not a hash.
    pub fn data(&self, world: &dyn World, format: Format) -> &Result<Arc<Data>, DataFault> {
        note_path(Aspect::Content, &self.path);
        if format == Format::Hocon {
            // Its includes and variables were noted by the first reader alone.
            note_unrepeatable(|| ecow::eco_format!("{} is HOCON", self.path.display()));
        }
        let slot = match format {
            Format::Yaml => &self.yaml,
            Format::Json => &self.json,
            Format::Hocon => &self.hocon,
        };
        slot.get_or_init(|| {
            let content = self.content.lock().unwrap_or_else(|e| e.into_inner()).take();
            let text = match content {
                Some(bytes) => text_of(&self.path, bytes),
                None => read_text(world, &self.path),
            };
            let text = text.map_err(|message| {
                DataFault::Syntax(SyntaxFault { message, place: None, help: None })
            })?;
            let data = match format {
                Format::Yaml => yaml(&self.path, &text),
                Format::Json => read_object(&self.path, &text, ordain_data::json::read(&text)),
                Format::Hocon => read_object(&self.path, &text, read_hocon(world, &text)),
            };
            data.map(Arc::new)
        })
    }
}

/// The value of a text in HOCON; its `include` statements read files.
pub(crate) fn read_hocon(
    world: &dyn World,
    text: &str,
) -> Result<ordain_data::Value, ordain_data::hocon::Error> {
    let file = |path: &Path| match world.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    };
    let environment = |name: &str| world.env(name);
    let context = ordain_data::hocon::Context { environment: &environment, file: &file };
    ordain_data::hocon::read(text, &context)
}

fn yaml(path: &Path, text: &str) -> Result<Data, DataFault> {
    let tree = Tree::parse(text).and_then(|tree| from_yaml(&tree).map(|v| (tree, v)));
    let (tree, value) = tree.map_err(|e| {
        let found = advice(&e.kind, text, e.range);
        let mut fault = SyntaxFault::of_text(path, text, &e, found.place);
        fault.message = refused_text(path, &e);
        let place = fault.place.map(|(_, text, at)| (found.label.to_owned(), text, at));
        DataFault::Syntax(SyntaxFault { place, help: found.help, ..fault })
    })?;
    let entries = match &value {
        Value::Hash(entries) => entries,
        Value::Undef | Value::Bool(false) => {
            return Ok(Data { empty: true, ..Data::default() });
        }
        other => return Err(DataFault::NoHash(super::text::type_word(other))),
    };
    let lines = key_lines(&tree, text);
    let mut data = Data::default();
    for (key, value) in entries.iter() {
        let Some(key) = key.as_str() else { continue };
        let line = lines.get(key).copied().unwrap_or(0);
        data.entries.insert(key.into(), entry(value.clone(), line));
    }
    Ok(data)
}

/// Ruby's message for a text that it cannot load. Only some errors have the path and the place.
fn refused_text(path: &Path, error: &ordain_data::yaml::Error) -> String {
    let (path, message) = (path.display(), &error.message);
    match error.kind {
        YamlErrorKind::UnknownAlias(_) => format!("Unable to parse {message}"),
        YamlErrorKind::Refused | YamlErrorKind::UnspecifiedClass => {
            format!("Unable to parse ({path}): {message}")
        }
        _ => format!("Unable to parse ({path}): {error}"),
    }
}

/// The data of a document. Symbols in keys become texts.
fn from_yaml(tree: &Tree) -> Result<Value, ordain_data::yaml::Error> {
    match tree.has_symbols() {
        true => crate::value::rich::from_yaml(tree).map(text_keys),
        false => tree.value(Schema::Psych).map(|data| from_data(&data)),
    }
}

fn text_keys(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().cloned().map(text_keys)),
        Value::Hash(entries) => {
            let key = |key: &Value| match key {
                Value::Runtime(symbol) => Value::Str(symbol.text.clone()),
                other => other.clone(),
            };
            let entries = entries.iter().map(|(k, v)| (key(k), text_keys(v.clone())));
            Value::Hash(Arc::new(entries.collect()))
        }
        other => other,
    }
}

fn no_hash(value: &ordain_data::Value) -> DataFault {
    DataFault::NoHash(super::text::type_word(&from_data(value)))
}

fn entry(value: Value, line: u32) -> Entry {
    let allowed = holds_data(&value);
    Entry { dynamic: needs_interpolation(&value), value, allowed, line }
}

/// Whether a value has no symbols, and the keys of its hashes are texts or numbers.
pub(super) fn holds_data(value: &Value) -> bool {
    match value {
        Value::Runtime(object) => object.is_integer(),
        Value::Iterator(_) => false,
        Value::Array(items) => items.iter().all(holds_data),
        Value::Hash(entries) => entries.iter().all(|(key, value)| {
            matches!(key, Value::Str(_) | Value::Int(_) | Value::Float(_)) && holds_data(value)
        }),
        _ => true,
    }
}

/// The lines of the keys of the outermost map.
fn key_lines(tree: &Tree, text: &str) -> FxHashMap<String, u32> {
    let mut lines = FxHashMap::default();
    let Some(root) = tree.root() else { return lines };
    let (mut at, mut line) = (0, 1);
    for (key, _) in tree.entries(root) {
        let start = tree.node(key).span.start as usize;
        let between = text.as_bytes().get(at..start).unwrap_or_default();
        line += between.iter().filter(|b| **b == b'\n').count() as u32;
        at = start.max(at);
        if let Some(name) = tree.text(key) {
            lines.insert(name.to_owned(), line);
        }
    }
    lines
}

fn read_object(
    path: &Path,
    text: &str,
    value: Result<ordain_data::Value, ordain_data::json::Error>,
) -> Result<Data, DataFault> {
    let value =
        value.map_err(|e| DataFault::Syntax(SyntaxFault::of_text(path, text, &e, e.range)))?;
    let Some(entries) = value.as_map() else { return Err(no_hash(&value)) };
    let text_keys = entries.iter().filter_map(|(k, v)| Some((k.as_str()?, v)));
    let entries = text_keys.map(|(k, v)| (k.into(), entry(from_data(v), 0))).collect();
    Ok(Data { entries, empty: false })
}

/// The data provider that the text of a `metadata.json` or an `environment.conf` names.
pub(super) fn named(path: &Path, bytes: &[u8]) -> Option<EcoString> {
    let text = std::str::from_utf8(bytes).ok()?;
    // Few files name a provider, and most need not be parsed for it.
    if !text.contains("data_provider") {
        return None;
    }
    if path.extension().is_some_and(|extension| extension == "json") {
        let metadata = ordain_data::json::read(text).ok()?;
        return metadata.get("data_provider")?.as_str().map(EcoString::from);
    }
    let settings = text.lines().filter_map(|line| line.split('#').next()?.split_once('='));
    let mut of_layer = settings.filter(|(key, _)| key.trim() == ENVIRONMENT_SETTING);
    of_layer.next_back().map(|(_, value)| EcoString::from(value.trim()))
}

/// The setting of environments.
pub(super) const ENVIRONMENT_SETTING: &str = "environment_data_provider";
