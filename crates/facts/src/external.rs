//! External facts: `facts.d` directories, the environment, and files from options.

use std::fmt;
use std::path::{Path, PathBuf};

use ordain_data::yaml::{self, Schema};
use ordain_data::{Map, Value, json};
use ordain_source::{Diagnostic, EntryKind, ProcessRequest, Severity, World};

/// The facts of a set of directories.
#[derive(Clone, Debug, Default)]
pub struct External {
    /// The facts, later ones win.
    pub facts: Vec<(String, Value)>,
    /// A warning for each file or program without valid facts.
    pub problems: Vec<Diagnostic>,
}

/// The reason why a file has no facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// The message.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for LoadError {}

/// The directories in which Facter looks for external facts, by user.
pub fn default_dirs(world: &dyn World, is_root: bool) -> Vec<PathBuf> {
    if is_root {
        return [
            "/opt/puppetlabs/facter/facts.d",
            "/etc/facter/facts.d",
            "/etc/puppetlabs/facter/facts.d",
        ]
        .map(PathBuf::from)
        .into();
    }
    let Some(home) = world.env("HOME") else { return Vec::new() };
    [".puppetlabs/opt/facter/facts.d", ".facter/facts.d"].map(|d| Path::new(&home).join(d)).into()
}

/// Reads all files of the directories, in the order of the directories and of the names.
pub fn read_dirs(world: &dyn World, dirs: &[PathBuf]) -> External {
    let mut external = External::default();
    for dir in dirs {
        // A missing directory has no facts.
        for (name, kind) in world.list(dir).unwrap_or_default() {
            let ignored =
                name.starts_with('.') || name.ends_with(".bak") || name.ends_with(".orig");
            if kind != EntryKind::File || ignored {
                continue;
            }
            let path = dir.join(&name);
            match read_file(world, &path, &mut external.problems) {
                Ok(map) => external.facts.extend(named(&map)),
                Err(message) => {
                    external.problems.push(problem(LoadError { path, message }.to_string()));
                }
            }
        }
    }
    external
}

fn problem(message: String) -> Diagnostic {
    Diagnostic::new(Severity::Warning, "facts::external", message)
}

/// Names of facts have small letters only.
fn named(map: &Map) -> impl Iterator<Item = (String, Value)> + '_ {
    map.iter().map(|(name, value)| {
        let name = match name {
            Value::Str(text) => text.to_lowercase().into(),
            other => json::compact(other),
        };
        (name, value.clone())
    })
}

fn read_file(
    world: &dyn World,
    path: &Path,
    problems: &mut Vec<Diagnostic>,
) -> Result<Map, String> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("yaml" | "yml") => structured(&read(world, path)?, Format::Yaml),
        Some("json") => structured(&read(world, path)?, Format::Json),
        Some("txt") => Ok(lines(&String::from_utf8_lossy(&read(world, path)?))),
        Some("bat" | "cmd" | "com" | "exe" | "ps1") => Ok(Map::default()),
        _ => run(world, path, problems),
    }
}

fn read(world: &dyn World, path: &Path) -> Result<Vec<u8>, String> {
    world.read(path).map_err(|e| e.to_string())
}

#[derive(Clone, Copy)]
enum Format {
    Yaml,
    Json,
}

fn structured(bytes: &[u8], format: Format) -> Result<Map, String> {
    let value = match format {
        Format::Yaml => yaml::read_bytes(bytes, Schema::PsychDates).map_err(|e| e.to_string())?,
        Format::Json => json::read_bytes(bytes).map_err(|e| e.to_string())?,
    };
    match value {
        Value::Map(map) => Ok(map.as_ref().clone()),
        Value::Null => Ok(Map::default()),
        other => Err(format!("the file holds {}, not a map of facts", other.kind())),
    }
}

/// Lines `name=value`; others are skipped.
fn lines(text: &str) -> Map {
    let pair = |line: &str| {
        let at = line.char_indices().skip(1).find(|(_, c)| *c == '=')?.0;
        let (name, value) = line.split_at_checked(at)?;
        let value = value.strip_prefix('=')?;
        (!value.is_empty()).then(|| (Value::from(name), Value::from(value)))
    };
    text.lines().filter_map(pair).collect()
}

/// Runs a program. Files that are not executable have no facts.
fn run(world: &dyn World, path: &Path, problems: &mut Vec<Diagnostic>) -> Result<Map, String> {
    let request = ProcessRequest {
        argv: vec![path.to_string_lossy().into_owned()],
        cwd: None,
        env: Vec::new(),
        stdin: Vec::new(),
        timeout: None,
    };
    let output = match world.run(&request) {
        Ok(output) => output,
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => return Ok(Map::default()),
        Err(e) => return Err(e.to_string()),
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !stderr.trim().is_empty() {
        problems.push(problem(format!("{}: {}", path.display(), stderr.trim())));
    }
    if output.status != Some(0) {
        let status = output.status.map_or("a signal".to_owned(), |s| format!("status {s}"));
        problems.push(problem(format!("{}: the program ended with {status}", path.display())));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    match structured(&output.stdout, Format::Yaml) {
        Ok(map) => Ok(map),
        Err(_) => Ok(lines(&text)),
    }
}

/// The facts in variables `FACTER_name`; all are text.
pub fn environment(variables: &[(String, String)]) -> Vec<(String, Value)> {
    let fact = |(name, value): &(String, String)| {
        let (prefix, name) = name.split_at_checked(7)?;
        let name = Some(name.to_lowercase()).filter(|_| prefix.eq_ignore_ascii_case("FACTER_"))?;
        (!name.is_empty()).then(|| (name, Value::from(value.as_str())))
    };
    variables.iter().filter_map(fact).collect()
}

/// Reads the facts of a machine from a file: YAML, or JSON by the extension `.json`. The content is
/// either the map of facts itself, or a map of `name` and `values` as Puppet and Ordain store it.
///
/// # Errors
/// When the file cannot be read, is neither, or contains no map.
pub fn load_file(world: &dyn World, path: &Path) -> Result<Value, LoadError> {
    let fail = |message: String| LoadError { path: path.to_owned(), message };
    let bytes = read(world, path).map_err(fail)?;
    read_named(path, &bytes).map(|(_, values)| values)
}

/// The facts in a file that was read, and the name of the node if the file stores it.
///
/// # Errors
/// As [`load_file`].
pub fn read_named(path: &Path, bytes: &[u8]) -> Result<(Option<String>, Value), LoadError> {
    let fail = |message: String| LoadError { path: path.to_owned(), message };
    let is_json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let map =
        if is_json { structured(bytes, Format::Json) } else { stored(bytes) }.map_err(fail)?;
    let value = Value::Map(map.into());
    let own = value.get("format").and_then(Value::as_str) == Some("ordain-facts");
    let wrapped = own || value.get("name").is_some() || value.get("timestamp").is_some();
    match value.get("values") {
        Some(values @ Value::Map(_)) if wrapped => {
            let name = value.get("name").and_then(Value::as_str);
            Ok((name.map(ToString::to_string), values.clone()))
        }
        _ => Ok((None, value)),
    }
}

/// Puppet writes its facts as a Ruby object, whose tag is ignored here.
fn stored(bytes: &[u8]) -> Result<Map, String> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    match text.strip_prefix("--- !ruby/object:Puppet::Node::Facts") {
        Some(rest) => structured(rest.as_bytes(), Format::Yaml),
        None => structured(bytes, Format::Yaml),
    }
}
