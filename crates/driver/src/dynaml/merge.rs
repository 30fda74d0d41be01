//! Merging documents: from the names of files to the merged document.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ordain_data::Value as Data;
use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::functions::clean_path;
use ordain_dynaml::load::{Features, LoadError};
use ordain_dynaml::resources::Codes;
use ordain_dynaml::session::{self, Declared, Error, Input, Output, Request, StateForm};
use ordain_dynaml::syntax::ast::Exprs;
use ordain_dynaml::value::Value;
use ordain_dynaml::{diagnose, document, lower};
use ordain_source::{Diagnostic, SourceMap, World, is_web, shortened, without_passwords};

use crate::codes;
use crate::private_file;
use crate::reporter::Reporter;

/// How documents are merged, and what is printed of the result.
#[derive(Clone, Default, Debug)]
pub struct MergeOptions {
    /// Print JSON, a document a line
    pub json: bool,
    /// Print only the node at this path, such as `a.b.[1]`
    pub path: Option<String>,
    /// Print a map of these nodes, by the last step of their paths
    pub select: Vec<String>,
    /// Evaluate an expression on the result and print its value
    pub evaluate: Option<String>,
    /// Print a list as documents of their own
    pub split: bool,
    /// A file with names that are known everywhere
    pub bindings: Option<PathBuf>,
    /// A name that is known everywhere; dots make nested maps
    pub define: Vec<String>,
    /// A file that is known by a tag
    pub tag: Vec<String>,
    /// Language features to switch on: interpolation, control
    pub features: Vec<String>,
    /// The same as --features interpolation
    pub interpolation: bool,
    /// Print what can be resolved, and the rest as it is written
    pub partial: bool,
    /// Keep the ! of ((! … ))
    pub preserve_escapes: bool,
    /// Keep nodes that are marked as temporary
    pub preserve_temporary: bool,
    /// A file of values that are kept from run to run
    pub state: Option<PathBuf>,
    /// Run no command and write no file, whatever the documents say
    pub no_exec: bool,
}

/// Documents to merge, and how.
#[derive(Default, Debug)]
pub struct Merge<'a> {
    /// The template.
    pub template: &'a str,
    /// What is merged into it.
    pub stubs: &'a [String],
    /// A document that template and stubs process.
    pub document: Option<&'a str>,
    /// How.
    pub options: MergeOptions,
    /// Whose words are used.
    pub dialect: Dialect,
    /// A node that is to be explained.
    pub explain: Option<String>,
    /// Whether a file of bindings may be missing, as it may for spiff.
    pub lenient: bool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum MergeError {
    /// A file cannot be read: what it is, and its name.
    Read(&'static str, String, io::Error),
    /// The run failed; what was read for it.
    Merge(Error, Vec<Input>),
    /// The arguments do not fit.
    Usage(String),
}

impl MergeError {
    /// As spiff logs it.
    pub fn text(&self) -> String {
        without_passwords(&self.plain_text()).into_owned()
    }

    fn plain_text(&self) -> String {
        match self {
            Self::Read(role, name, error) => {
                let reason = match error.kind() {
                    io::ErrorKind::NotFound => format!("open {name}: no such file or directory"),
                    io::ErrorKind::PermissionDenied => format!("open {name}: permission denied"),
                    io::ErrorKind::IsADirectory => format!("read {name}: is a directory"),
                    // What was fetched is named again, as spiff does.
                    _ if is_web(name) && !error.to_string().starts_with('[') => {
                        format!("error getting [{name}]: {error}")
                    }
                    _ => error.to_string(),
                };
                // A plain path of an address would be none any more.
                let shown = clean_path(&without_passwords(name));
                format!("error reading {role} [{shown}]: {reason}\n")
            }
            Self::Merge(error, _) => {
                let text = error.text();
                if text.ends_with('\n') { text } else { text + "\n" }
            }
            Self::Usage(text) => format!("{text}\n"),
        }
    }

    /// As diagnostics, with their places.
    pub fn diagnostics(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        match self {
            Self::Read(_, name, error) => {
                vec![codes::unreadable(Path::new(&*without_passwords(name)), error)]
            }
            Self::Merge(error, inputs) => {
                let inputs: Vec<&Input> = inputs.iter().collect();
                let mut found = diagnose::diagnostics(error, &inputs, sources);
                for one in &mut found {
                    one.message = without_passwords(&one.message).into_owned();
                    for label in one.primary.iter_mut().chain(&mut one.related) {
                        label.text = without_passwords(&label.text).into_owned();
                    }
                }
                found
            }
            Self::Usage(text) => vec![Diagnostic::error(codes::ARGUMENTS, text.clone())],
        }
    }
}

/// Reads files, each once from standard input.
struct Reader<'w> {
    world: &'w dyn World,
    stdin: bool,
}

impl<'w> Reader<'w> {
    fn new(world: &'w dyn World) -> Self {
        Self { world, stdin: false }
    }

    fn read(&mut self, role: &'static str, name: &str) -> Result<Input, MergeError> {
        let text = if name == "-" {
            if self.stdin {
                return Err(MergeError::Usage("stdin cannot be used twice".into()));
            }
            self.stdin = true;
            ordain_source::read_standard_input()
        } else if is_web(name) {
            self.world.fetch(name)
        } else {
            self.world.read(Path::new(name))
        };
        let text = text.and_then(|bytes| {
            String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
        });
        match text {
            Ok(text) if is_web(name) => {
                Ok(Input { name: without_passwords(name).into_owned(), text, under: None })
            }
            Ok(text) => Ok(Input { name: name.into(), text, under: None }),
            Err(error) => Err(MergeError::Read(role, name.into(), error)),
        }
    }
}

/// Reports what is wrong, with its places.
pub(crate) fn report(reporter: &mut dyn Reporter, error: &MergeError) -> crate::Error {
    let sources = SourceMap::new();
    reporter.diagnostics(error.diagnostics(&sources), &sources);
    crate::Error::Reported
}

/// Merges; the state is written, the rest is the caller's.
///
/// # Errors
/// When a file cannot be read or written, or an expression has no value.
pub fn merge(world: &dyn World, merge: &Merge<'_>) -> Result<Output, MergeError> {
    let request = request(world, merge)?;
    let output = session::merge(world, &request);
    let output = output.map_err(|error| failed(error, request))?;
    if let (Some(path), Some(text)) = (&merge.options.state, &output.state) {
        write_state(path, text)?;
    }
    Ok(output)
}

/// Merges, and makes a graph of the resources that the document declares.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub(crate) fn declare(
    world: &dyn World,
    merge: &Merge<'_>,
    sources: &SourceMap,
    codes: Codes,
) -> Result<Declared, MergeError> {
    let request = request(world, merge)?;
    session::declare(world, &request, sources, codes).map_err(|error| failed(error, request))
}

/// An error of a merge, with the files that it is about.
fn failed(error: Error, request: Request) -> MergeError {
    let mut inputs = request.stubs;
    inputs.extend(request.template);
    inputs.extend(request.tags.into_iter().map(|tag| tag.1));
    MergeError::Merge(error, inputs)
}

fn request(world: &dyn World, merge: &Merge<'_>) -> Result<Request, MergeError> {
    let options = &merge.options;
    let mut reader = Reader::new(world);
    let document = merge.document.map(|name| reader.read("document", name)).transpose()?;
    let template = reader.read("template", merge.template)?;
    let bindings = bindings(&mut reader, merge)?;
    let mut tags = Vec::new();
    for tag in &options.tag {
        let Some((name, file)) = tag.split_once(':').filter(|t| !t.0.is_empty()) else {
            let text = "tag file must be preceeded by a tag (<tag>:<path>)";
            return Err(MergeError::Usage(text.into()));
        };
        tags.push((name.to_owned(), reader.read("tag file", file)?));
    }
    let mut stubs = Vec::new();
    if let Some(document) = document {
        let text = "document: (( &temporary &inject (merge) ))\n".into();
        stubs.push(Input { name: "<document>".into(), text, under: None });
        stubs.push(Input { under: Some("document".into()), ..document });
    }
    for name in merge.stubs {
        stubs.push(reader.read("stub", name)?);
    }
    let mut state = None;
    if let Some(path) = &options.state {
        state = Some(state_form(path, options.json));
        if path.is_file() {
            stubs.push(reader.read("state file", &path.to_string_lossy())?);
        }
    }
    Ok(Request {
        template: Some(template),
        stubs,
        features: features(options)?,
        options: Options {
            dialect: merge.dialect,
            hermetic: options.no_exec,
            partial: options.partial,
            keep_temporary: options.preserve_temporary,
            keep_escapes: options.preserve_escapes,
            encryption_key: std::env::var("SPIFF_ENCRYPTION_KEY").ok(),
            ..Options::default()
        },
        json: options.json,
        path: options.path.clone(),
        select: options.select.clone(),
        split: options.split,
        bindings,
        evaluate: options.evaluate.clone(),
        state,
        tags,
        explain: merge.explain.clone(),
    })
}

fn features(options: &MergeOptions) -> Result<Features, MergeError> {
    let mut features = Features::default();
    if let Ok(names) = std::env::var("SPIFF_FEATURES") {
        for name in names.split(',') {
            // What the environment names wrongly is no error for spiff either.
            let _ = set_feature(&mut features, name.trim());
        }
    }
    for name in options.features.iter().flat_map(|f| f.split(',')) {
        set_feature(&mut features, name.trim())?;
    }
    features.interpolation |= options.interpolation;
    Ok(features)
}

fn set_feature(features: &mut Features, name: &str) -> Result<(), MergeError> {
    let (name, on) = name.strip_prefix("no").map_or((name, true), |rest| (rest, false));
    match name {
        "interpolation" => features.interpolation = on,
        "control" => features.control = on,
        _ => return Err(MergeError::Usage(format!("unknown feature flag {name:?}"))),
    }
    Ok(())
}

fn state_form(path: &Path, json: bool) -> StateForm {
    match path.extension().and_then(|e| e.to_str()) {
        Some("yaml" | "yml") => StateForm::Yaml,
        Some("json") => StateForm::Json,
        _ if json => StateForm::Json,
        _ => StateForm::Yaml,
    }
}

/// Writes the state; what was there is kept beside it.
fn write_state(path: &Path, text: &str) -> Result<(), MergeError> {
    let mut backup = path.as_os_str().to_owned();
    backup.push(".bak");
    let kept = path.is_file() && std::fs::rename(path, &backup).is_ok();
    let written = private_file::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    if written.is_err() {
        if kept {
            let _ = std::fs::rename(&backup, path);
        }
        return Err(MergeError::Usage(format!("cannot write state file {:?}", path.display())));
    }
    Ok(())
}

/// Names by name; maps that `-D` builds can still grow.
#[derive(Debug)]
enum Binding {
    Value(Data),
    Map(BTreeMap<String, Binding>),
}

impl From<&Data> for Binding {
    fn from(data: &Data) -> Self {
        match data {
            Data::Map(map) => {
                let entries = map.iter();
                let text = |key: &Data| key.as_str().unwrap_or_default().to_owned();
                Self::Map(entries.map(|(k, v)| (text(k), Self::from(v))).collect())
            }
            other => Self::Value(other.clone()),
        }
    }
}

impl From<Binding> for Data {
    fn from(binding: Binding) -> Self {
        match binding {
            Binding::Value(data) => data,
            Binding::Map(map) => Self::map(map.into_iter().map(|(k, v)| (k, v.into()))),
        }
    }
}

fn bindings(reader: &mut Reader<'_>, merge: &Merge<'_>) -> Result<Vec<(String, Data)>, MergeError> {
    let mut names = BTreeMap::new();
    if let Some(path) = &merge.options.bindings
        && (!merge.lenient || path.is_file())
    {
        let input = reader.read("bindings file", &path.to_string_lossy())?;
        let values = document::read(&input.text).map_err(|e| {
            let name = input.name.clone();
            let (role, LoadError { message, span, said }) = ("bindings file", e);
            let error = Error::Input { role, name, message, span, said };
            MergeError::Merge(error, vec![input.clone()])
        })?;
        let data = lower::data(&Exprs::default(), &values).into_iter().next();
        match Binding::from(&data.unwrap_or_default()) {
            Binding::Map(map) => names = map,
            Binding::Value(Data::Null) if merge.lenient => {}
            Binding::Value(_) => {
                return Err(MergeError::Usage("bindings must be given as map".into()));
            }
        }
    }
    for define in &merge.options.define {
        let parts: Vec<&str> = define.split('=').collect();
        let [name, value] = parts[..] else {
            return Err(MergeError::Usage(format!("invalid value definition {define:?}")));
        };
        if name.is_empty() {
            return Err(MergeError::Usage(format!("empty key in value definition {define:?}")));
        }
        let value = value.parse().map_or_else(|_| Data::str(value), Data::Int);
        add(&mut names, &components(name), value, name)
            .map_err(|e| MergeError::Usage(format!("error in value definitions (-D): {e}")))?;
    }
    Ok(names.into_iter().map(|(k, v)| (k, v.into())).collect())
}

/// How many parts a name may have: each is a map in another.
const MOST_PARTS: usize = 100;

/// The parts of a name between dots; a backslash makes a dot part of the name.
fn components(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (c, next, out.last_mut()) {
            ('\\', Some(next @ ('.' | '\\')), Some(last)) => {
                last.push(next);
                chars.next();
            }
            ('.', ..) => out.push(String::new()),
            (c, _, Some(last)) => last.push(c),
            _ => {}
        }
    }
    out
}

fn add(
    names: &mut BTreeMap<String, Binding>,
    path: &[String],
    value: Data,
    whole: &str,
) -> Result<(), String> {
    match path {
        [] => Ok(()),
        _ if path.len() > MOST_PARTS => {
            Err(format!("a name has more than {MOST_PARTS} parts: {}", shortened(whole)))
        }
        [first, ..] if first.is_empty() => Err(format!("empty path component in {whole:?}")),
        [last] => {
            names.insert(last.clone(), Binding::Value(value));
            Ok(())
        }
        [first, rest @ ..] => {
            let below = names.entry(first.clone());
            match below.or_insert_with(|| Binding::Map(BTreeMap::new())) {
                Binding::Map(map) => add(map, rest, value, whole),
                Binding::Value(_) => Err(format!("field {first:?} in {whole} is no map")),
            }
        }
    }
}

/// A file as text.
///
/// # Errors
/// When it cannot be read.
pub fn read(world: &dyn World, role: &'static str, name: &str) -> Result<Input, MergeError> {
    Reader::new(world).read(role, name)
}

/// A file as documents that nothing is evaluated in.
///
/// # Errors
/// When it cannot be read, or is no YAML.
pub fn documents(
    world: &dyn World,
    role: &'static str,
    name: &str,
) -> Result<Vec<Value>, MergeError> {
    parse(role, &read(world, role, name)?)
}

/// A file as the plain data of its documents.
///
/// # Errors
/// As of [`documents`].
pub fn data(world: &dyn World, role: &'static str, name: &str) -> Result<Vec<Data>, MergeError> {
    Ok(lower::data(&Exprs::default(), &documents(world, role, name)?))
}

/// The documents of a text, in which nothing is evaluated.
///
/// # Errors
/// When it is no YAML.
pub fn parse(role: &'static str, input: &Input) -> Result<Vec<Value>, MergeError> {
    document::read(&input.text).map_err(|e| {
        let (name, LoadError { message, span, said }) = (input.name.clone(), e);
        MergeError::Merge(Error::Input { role, name, message, span, said }, vec![input.clone()])
    })
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn a_backslash_makes_a_dot_part_of_a_name() {
        assert_eq!(components("a.b"), ["a", "b"]);
        assert_eq!(components(r"a\.b.c"), ["a.b", "c"]);
        assert_eq!(components(r"a\\.b"), [r"a\", "b"]);
    }
}
