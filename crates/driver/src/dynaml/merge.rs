//! Merges YAML documents that are named by path.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ordain_data::Value as Data;
use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::functions::clean_path;
use ordain_dynaml::load::Features;
use ordain_dynaml::resources::Codes;
use ordain_dynaml::session::{self, DeclaredGraph, Error, Input, Output, Request, StateForm};
use ordain_dynaml::syntax::ast::Exprs;
use ordain_dynaml::value::Value;
use ordain_dynaml::{diagnose, document, lower};
use ordain_source::{
    Diagnostic, HttpStatus, SourceMap, World, is_web, shortened, without_passwords,
};

use crate::codes;
use crate::private_file;
use crate::reporter::Reporter;

/// Options of a merge and of its output.
#[derive(Clone, Default, Debug)]
pub struct MergeOptions {
    /// Print JSON, one document per line.
    pub json: bool,
    /// Print only the node at this path, such as `a.b.[1]`.
    pub path: Option<String>,
    /// Print a map of these nodes, by the last step of their paths.
    pub select: Vec<String>,
    /// Evaluate an expression on the result and print its value.
    pub evaluate: Option<String>,
    /// Print a list as documents of their own.
    pub split: bool,
    /// A file with names that are known everywhere.
    pub bindings: Option<PathBuf>,
    /// A name that is known everywhere; dots make nested maps.
    pub define: Vec<String>,
    /// A file that is known by a tag.
    pub tag: Vec<String>,
    /// Language features to switch on: interpolation, control.
    pub features: Vec<String>,
    /// The same as --features interpolation.
    pub interpolation: bool,
    /// Print unresolved expressions unchanged instead of failing.
    pub partial: bool,
    /// Keep the ! of ((! … )).
    pub preserve_escapes: bool,
    /// Keep nodes that are marked as temporary.
    pub preserve_temporary: bool,
    /// A file of values that are kept from run to run.
    pub state: Option<PathBuf>,
    /// Run no command and write no file, whatever the documents say.
    pub no_exec: bool,
}

/// The documents to merge, and the options.
#[derive(Default, Debug)]
pub struct Merge<'a> {
    /// The template.
    pub template: &'a str,
    /// The documents that are merged into the template.
    pub stubs: &'a [String],
    /// A document that template and stubs process.
    pub document: Option<&'a str>,
    /// The options.
    pub options: MergeOptions,
    /// The program whose messages are imitated.
    pub dialect: Dialect,
    /// A node to explain.
    pub explain: Option<String>,
    /// Whether a missing bindings file is accepted, as spiff does.
    pub lenient: bool,
}

/// The reason for which a merge has no result.
#[derive(Debug)]
pub enum MergeError {
    /// A file cannot be read. Has the role of the file, its name and the error.
    Read(&'static str, String, io::Error),
    /// The evaluation failed. Has the error and the inputs that were read.
    Merge(Error, Vec<Input>),
    /// The arguments do not fit together.
    Usage(String),
}

impl MergeError {
    /// The error message as spiff logs it.
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
                    // Spiff names the URL of a failed download a second time.
                    _ if is_web(name) && !is_refused(error) => {
                        format!("error getting [{name}]: {error}")
                    }
                    _ => error.to_string(),
                };
                // `clean_path` would remove a slash of a URL's `//`.
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

    /// The error as diagnostics with source places.
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

/// Whether the server answered, with an error.
fn is_refused(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<HttpStatus>())
}

/// Reads input files. Standard input can be read only once.
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

/// Reports a failed merge to `reporter`.
pub(crate) fn report(reporter: &mut dyn Reporter, error: &MergeError) -> crate::Error {
    let sources = SourceMap::new();
    reporter.diagnostics(error.diagnostics(&sources), &sources);
    crate::Error::Reported
}

/// Merges documents and writes the state file. The caller prints the output.
///
/// # Errors
/// When a file cannot be read or written, or an expression has no value.
pub fn merge(world: &dyn World, merge: &Merge<'_>) -> Result<Output, MergeError> {
    let request = request(world, merge)?;
    let output = session::merge(world, &request);
    let output = output.map_err(|error| merge_error(error, request))?;
    if let (Some(path), Some(text)) = (&merge.options.state, &output.state) {
        write_state(path, text)?;
    }
    Ok(output)
}

/// Merges documents and makes a graph of the resources that the result declares.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub(crate) fn declare(
    world: &dyn World,
    merge: &Merge<'_>,
    sources: &SourceMap,
    codes: Codes,
) -> Result<DeclaredGraph, MergeError> {
    let request = request(world, merge)?;
    session::declare(world, &request, sources, codes).map_err(|error| merge_error(error, request))
}

/// Adds the inputs of a request to an error.
fn merge_error(error: Error, request: Request) -> MergeError {
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
            // Spiff, too, ignores an unknown feature in the environment variable.
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

/// Writes the state file. The previous one is kept as `.bak`.
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

/// A tree of bindings. `-D` can still add entries to its maps.
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
        let values = document::read(&input.text).map_err(|error| {
            let name = input.name.clone();
            let error = Error::Input { role: "bindings file", name, error };
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

/// The most parts a name may have: each is a map in another.
const MAX_PARTS: usize = 100;

/// Splits a name at its dots; a backslash makes a dot part of the name.
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
        _ if path.len() > MAX_PARTS => {
            Err(format!("a name has more than {MAX_PARTS} parts: {}", shortened(whole)))
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

/// Reads a file as text.
///
/// # Errors
/// When it cannot be read.
pub fn read(world: &dyn World, role: &'static str, name: &str) -> Result<Input, MergeError> {
    Reader::new(world).read(role, name)
}

/// Reads the documents of a file without evaluating them.
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

/// Reads the documents of a file as plain data.
///
/// # Errors
/// As for [`documents`].
pub fn data(world: &dyn World, role: &'static str, name: &str) -> Result<Vec<Data>, MergeError> {
    Ok(lower::data(&Exprs::default(), &documents(world, role, name)?))
}

/// Parses the documents of a text without evaluating them.
///
/// # Errors
/// When it is no YAML.
pub fn parse(role: &'static str, input: &Input) -> Result<Vec<Value>, MergeError> {
    document::read(&input.text).map_err(|error| {
        let name = input.name.clone();
        MergeError::Merge(Error::Input { role, name, error }, vec![input.clone()])
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
