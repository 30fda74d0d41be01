//! `hiera.yaml`: reading and checking the configurations of the versions 3, 4 and 5.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml::{Schema, Tree, read};
use ordain_source::TextRange;

use super::merge::Strategy;
use super::shape;
use crate::hiera::values::from_data;
use crate::value::Value;
use ordain_graph::language::Strict;

/// Help for a configuration of an old version.
pub const VERSION_3_HELP: &str = "write it in version 5: `version: 5`, and below `hierarchy:` for each \
                              level a `name:` and a `path:`";

/// The owner of a configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// The global layer.
    Global,
    /// The environment.
    Environment,
    /// A module.
    Module(EcoString),
}

/// A configuration.
#[derive(Debug)]
pub struct Config {
    /// The file; `None` for the default configuration.
    pub path: Option<PathBuf>,
    /// The directory that relative paths start from.
    pub root: PathBuf,
    /// Its version: 3, 4 or 5.
    pub version: u8,
    /// The levels, highest first.
    pub hierarchy: Vec<Level>,
    /// The levels that are searched if all others fail; only modules have them.
    pub default_hierarchy: Option<Vec<Level>>,
    /// The merge strategy of `hiera_hash`, in version 3.
    pub merge: Strategy,
    /// The warnings about the configuration.
    pub warnings: Vec<String>,
}

/// A level of a hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// Its name.
    pub name: EcoString,
    /// The interface of its function.
    pub kind: FunctionKind,
    /// The function that gives the data.
    pub function: EcoString,
    /// The directory of its paths, before interpolation; empty for the default of version 3.
    pub datadir: EcoString,
    /// The locations of its data.
    pub locations: Locations,
    /// The options of the function.
    pub options: Option<Value>,
    /// The extension that is added to paths without it.
    pub extension: Option<EcoString>,
    /// The error that an earlier level has the same name. It is reported when the lookup reaches
    /// this level.
    pub twice: Option<Box<ConfigFault>>,
}

/// The interface of a level's function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Once for all data of a location.
    DataHash,
    /// Once for a root key.
    LookupKey,
    /// Once for a key with its segments.
    DataDig,
    /// As `DataHash`, without arguments, as before version 5.
    V4DataHash,
    /// A backend of Hiera 3, called once per key and location.
    Hiera3Backend,
}

impl FunctionKind {
    /// The key that names the function in the configuration.
    pub fn tag(self) -> &'static str {
        match self {
            Self::DataHash => "data_hash",
            Self::LookupKey => "lookup_key",
            Self::DataDig => "data_dig",
            Self::V4DataHash => V4_DATA_HASH,
            Self::Hiera3Backend => "hiera3_backend",
        }
    }
}

/// The locations of a level's data.
#[derive(Clone, PartialEq, Debug)]
pub enum Locations {
    /// The function knows itself.
    None,
    /// Files.
    Paths(Vec<EcoString>),
    /// Files that match patterns.
    Globs(Vec<EcoString>),
    /// URIs.
    Uris(Vec<EcoString>),
    /// One file for each item of a variable: the variable, the item's name, the path.
    Mapped([EcoString; 3]),
}

/// An error in a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFault {
    /// Puppet's issue code; without one, the error belongs to the function that looked up.
    pub issue: Option<&'static str>,
    /// The text.
    pub message: String,
    /// The file, if the error is about a place in it.
    pub path: Option<PathBuf>,
    /// The line, from 1, if it is known.
    pub line: Option<u32>,
    /// The faulty part of the file, if it is known.
    pub blame: Option<Box<ConfigBlame>>,
}

/// The part of a configuration that has an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigBlame {
    /// The file.
    pub path: PathBuf,
    /// The range in the text of the file.
    pub range: TextRange,
    /// Help.
    pub help: Option<String>,
}

impl ConfigFault {
    /// An error that is reported by the function that looked up.
    pub fn plain(message: impl Into<String>) -> Self {
        Self { issue: None, message: message.into(), path: None, line: None, blame: None }
    }
}

const FUNCTION_KEYS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
/// The key of functions before version 5; no help suggests it.
const V4_DATA_HASH: &str = "v4_data_hash";
const LOCATION_KEYS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
const RESERVED_OPTIONS: [&str; 2] = ["path", "uri"];

/// A file being read.
struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
    owner: &'t Owner,
}

impl Config {
    /// The configuration without a file: `data/common.yaml` below a directory.
    pub fn without_file(root: &Path) -> Self {
        Self {
            path: None,
            root: root.to_path_buf(),
            version: 5,
            hierarchy: vec![common()],
            default_hierarchy: None,
            merge: Strategy::First,
            warnings: Vec::new(),
        }
    }

    /// The configuration of a layer whose data comes from a function without arguments, as before
    /// version 5.
    pub fn of_function(root: &Path, function: &str) -> Self {
        let level = Level {
            name: ecow::eco_format!("Legacy function '{function}'"),
            kind: FunctionKind::V4DataHash,
            function: function.into(),
            locations: Locations::None,
            ..common()
        };
        Self { hierarchy: vec![level], ..Self::without_file(root) }
    }

    /// Its name in explanations.
    pub fn name(&self) -> String {
        format!("hiera configuration version {}", self.version)
    }

    /// Reads and checks a `hiera.yaml`.
    ///
    /// # Errors
    /// When it is no YAML or not well formed.
    pub fn read(
        path: &Path,
        text: &str,
        owner: &Owner,
        strict: Strict,
    ) -> Result<Self, ConfigFault> {
        let shown = path.display();
        let value =
            read(text, Schema::Psych).map_err(|e| ConfigFault::plain(format!("({shown}): {e}")))?;
        let mut value = from_data(&value);
        let mut warnings = Vec::new();
        if value.as_hash().is_none() {
            warnings.push(format!(
                "{shown}: File exists but does not contain a valid YAML hash. Falling back to \
                 Hiera version 3 default config"
            ));
            value = Value::hash::<&str>([]);
        }
        let reader = Reader { path, text, owner };
        let version = match value.get("version") {
            None | Some(Value::Undef) => 3,
            Some(Value::Int(version)) => *version,
            Some(Value::Str(text)) => leading_integer(text),
            Some(Value::Float(f)) => *f as i64,
            Some(_) => 0,
        };
        let deprecated = |version: i64| {
            format!(
                "{shown}: Use of 'hiera.yaml' version {version} is deprecated. It should be \
                 converted to version 5\n   (file: {shown})"
            )
        };
        let mut config = match version {
            5 => reader.version_5(&value)?,
            4 => reader.version_4(&value)?,
            3 => reader.version_3(&value)?,
            other => {
                let text = format!("This runtime does not support hiera.yaml version {other}");
                return Err(reader.fault("HIERA_UNSUPPORTED_VERSION", text, None));
            }
        };
        if version < 5 && strict != Strict::Off {
            warnings.push(deprecated(version));
        }
        config.warnings = warnings;
        Ok(config)
    }
}

fn common() -> Level {
    Level {
        name: "Common".into(),
        kind: FunctionKind::DataHash,
        function: "yaml_data".into(),
        datadir: "data".into(),
        locations: Locations::Paths(vec!["common.yaml".into()]),
        options: None,
        extension: None,
        twice: None,
    }
}

fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

fn text_of(value: Option<&Value>) -> Option<EcoString> {
    value.and_then(Value::as_str).map(EcoString::from)
}

fn texts_of(value: Option<&Value>) -> Vec<EcoString> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(|i| text_of(Some(i))).collect(),
        other => text_of(other).into_iter().collect(),
    }
}

/// `a, b, or c`
fn alternatives(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{}, or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

impl Reader<'_> {
    fn fault(
        &self,
        issue: &'static str,
        text: impl Into<String>,
        line: Option<u32>,
    ) -> ConfigFault {
        let path = Some(self.path.to_path_buf());
        ConfigFault { issue: Some(issue), message: text.into(), path, line, blame: None }
    }

    fn check(&self, problems: &[shape::Problem]) -> Result<(), ConfigFault> {
        let subject = format!("The Lookup Configuration at '{}'", self.path.display());
        let texts: Vec<String> = problems.iter().map(|p| p.text.clone()).collect();
        let Some(message) = super::text::mismatches(&subject, &texts) else { return Ok(()) };
        let mut fault = ConfigFault::plain(message);
        if let Some(first) = problems.first() {
            let steps: Vec<&str> = first.path.iter().map(EcoString::as_str).collect();
            let key = first.key.as_ref().map(|(key, _)| key.as_str());
            fault.blame = self.blame(&steps, key);
            let near = first.key.as_ref().and_then(|(_, near)| near.as_ref());
            if let (Some(blame), Some(near)) = (&mut fault.blame, near) {
                blame.help = Some(format!("did you mean `{near}`?"));
            }
        }
        Err(fault)
    }

    /// The value at keys and indices, or one of its keys.
    fn blame(&self, steps: &[&str], key: Option<&str>) -> Option<Box<ConfigBlame>> {
        let tree = Tree::parse(self.text).ok()?;
        let value = tree.find_node(steps)?;
        let is_key = |id| key.is_some() && tree.text(id) == key;
        let node = tree.entries(value).map(|(key, _)| key).find(|id| is_key(*id));
        let range = tree.node(node.unwrap_or(value)).span;
        Some(Box::new(ConfigBlame { path: self.path.to_path_buf(), range, help: None }))
    }

    fn root(&self) -> PathBuf {
        match self.path.parent() {
            Some(dir) if dir != Path::new("") => dir.to_path_buf(),
            // Below nothing would be below `/`.
            _ => PathBuf::from("."),
        }
    }

    /// The nth line with `key:` and the value; comments do not count.
    fn line_of(&self, key: &str, value: Option<&str>, nth: usize) -> Option<u32> {
        let has_value = |rest: &str| {
            let rest = rest.trim_start().trim_start_matches(['\'', '"']);
            let Some(value) = value else { return true };
            let after = rest.strip_prefix(value).map(|r| r.chars().next());
            after.is_some_and(|c| c.is_none_or(|c| !c.is_alphanumeric() && c != '_'))
        };
        let fits = |line: &str| {
            let code = line.split('#').next().unwrap_or_default();
            code.match_indices(key).any(|(at, key)| {
                let before = code[..at].chars().next_back();
                let rest = code[at + key.len()..].strip_prefix(':');
                before.is_none_or(char::is_whitespace) && rest.is_some_and(has_value)
            })
        };
        let mut lines = self.text.lines().enumerate().filter(|(_, line)| fits(line));
        lines.nth(nth).map(|(i, _)| i as u32 + 1)
    }

    fn version_5(&self, value: &Value) -> Result<Config, ConfigFault> {
        self.check(&shape::version_5(value))?;
        let given = value.get("defaults");
        let fallback = Value::hash([
            ("datadir", Value::from("data")),
            ("data_hash", Value::from("yaml_data")),
        ]);
        let defaults = given.filter(|d| !d.is_undef()).unwrap_or(&fallback);
        self.check_defaults(defaults).map_err(|mut fault| {
            fault.blame = self.blame(&["defaults"], None);
            fault
        })?;
        let levels = |key: &str| -> Result<Option<Vec<Level>>, ConfigFault> {
            let Some(levels) = value.get(key).and_then(Value::as_array) else { return Ok(None) };
            let one = |(i, level): (usize, &Value)| {
                self.level(level, defaults).map_err(|mut fault| {
                    if fault.line.is_none() {
                        fault.blame = self.blame(&[key, &i.to_string()], None);
                    }
                    fault
                })
            };
            let levels = levels.iter().enumerate().map(one);
            levels.collect::<Result<Vec<_>, _>>().map(Some)
        };
        let mut hierarchy = match levels("hierarchy")? {
            Some(levels) => levels,
            None => {
                let level =
                    [("name", "Common"), ("path", "common.yaml")].map(|(k, v)| (k, v.into()));
                vec![self.level(&Value::hash(level), defaults)?]
            }
        };
        levels("plan_hierarchy")?;
        if value.get("default_hierarchy").is_some() && !matches!(self.owner, Owner::Module(_)) {
            let text = "'default_hierarchy' is only allowed in the module layer";
            let line = self.line_of("default_hierarchy", None, 0);
            return Err(self.fault("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", text, line));
        }
        let mut default_hierarchy = levels("default_hierarchy")?;
        self.check_names(&mut hierarchy);
        self.check_names(default_hierarchy.as_deref_mut().unwrap_or_default());
        Ok(self.config(5, hierarchy, default_hierarchy))
    }

    fn config(&self, version: u8, hierarchy: Vec<Level>, default: Option<Vec<Level>>) -> Config {
        Config {
            path: Some(self.path.to_path_buf()),
            root: self.root(),
            version,
            hierarchy,
            default_hierarchy: default,
            merge: Strategy::First,
            warnings: Vec::new(),
        }
    }

    fn check_defaults(&self, defaults: &Value) -> Result<(), ConfigFault> {
        if FUNCTION_KEYS.iter().filter(|key| defaults.get(key).is_some()).count() > 1 {
            let text =
                format!("Only one of {} can be defined in defaults", alternatives(&FUNCTION_KEYS));
            return Err(self.fault(
                "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT",
                text,
                None,
            ));
        }
        let options = defaults.get("options");
        match RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|o| o.get(key).is_some())) {
            None => Ok(()),
            Some(key) => {
                let text = format!("Option key '{key}' used in defaults is reserved by OpenVox");
                Err(self.fault("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", text, None))
            }
        }
    }

    fn check_names(&self, levels: &mut [Level]) {
        let mut seen = rustc_hash::FxHashSet::default();
        let Some(twice) = levels.iter_mut().find(|level| !seen.insert(level.name.clone())) else {
            return;
        };
        let name = &twice.name;
        let mut text = format!("Hierarchy name '{name}' defined more than once.");
        let [first, second] = [0, 1].map(|nth| self.line_of("name", Some(name), nth));
        if let (Some(first), Some(_)) = (first, second) {
            text.push_str(&format!(" First defined at (line: {first})"));
        }
        let issue = "HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED";
        twice.twice = Some(Box::new(self.fault(issue, text, second.or(first))));
    }

    fn level(&self, level: &Value, defaults: &Value) -> Result<Level, ConfigFault> {
        const ALL: [&str; 5] =
            [FUNCTION_KEYS[0], FUNCTION_KEYS[1], FUNCTION_KEYS[2], FUNCTION_KEYS[3], V4_DATA_HASH];
        let name = text_of(level.get("name")).unwrap_or_default();
        let keys: Vec<&str> = ALL.into_iter().filter(|key| level.get(key).is_some()).collect();
        let default = FUNCTION_KEYS.into_iter().find(|key| defaults.get(key).is_some());
        let (key, holder) = match (keys.as_slice(), default) {
            ([key], _) => (*key, level),
            ([], Some(key)) => (key, defaults),
            ([], None) => {
                let keys = alternatives(&FUNCTION_KEYS);
                let text = format!("One of {keys} must be defined in hierarchy '{name}'");
                return Err(self.fault("HIERA_MISSING_DATA_PROVIDER_FUNCTION", text, None));
            }
            _ => {
                let keys = alternatives(&FUNCTION_KEYS);
                let text = format!("Only one of {keys} can be defined in hierarchy '{name}'");
                return Err(self.fault("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", text, None));
            }
        };
        let function = text_of(holder.get(key)).unwrap_or_default();
        let kind = match key {
            "data_hash" => FunctionKind::DataHash,
            "lookup_key" => FunctionKind::LookupKey,
            "data_dig" => FunctionKind::DataDig,
            V4_DATA_HASH => FunctionKind::V4DataHash,
            _ if function == "eyaml" && *self.owner == Owner::Global => FunctionKind::LookupKey,
            _ => {
                self.check_backend(&function)?;
                FunctionKind::Hiera3Backend
            }
        };
        let function = match kind {
            FunctionKind::LookupKey if key == "hiera3_backend" => {
                ecow::eco_format!("{function}_lookup_key")
            }
            _ => function,
        };
        let locations = self.locations(level, &name)?;
        let options = level.get("options");
        if let Some(key) =
            RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|o| o.get(key).is_some()))
        {
            let text =
                format!("Option key '{key}' used in hierarchy '{name}' is reserved by OpenVox");
            return Err(self.fault("HIERA_OPTION_RESERVED_BY_PUPPET", text, None));
        }
        let datadir = text_of(level.get("datadir")).or_else(|| text_of(defaults.get("datadir")));
        Ok(Level {
            name,
            kind,
            function,
            datadir: datadir.unwrap_or_else(|| "data".into()),
            locations,
            options: options.or_else(|| defaults.get("options")).cloned(),
            extension: None,
            twice: None,
        })
    }

    /// Refuses a backend of Hiera 3 where none is allowed, or where a function replaces it.
    fn check_backend(&self, backend: &str) -> Result<(), ConfigFault> {
        let line = |value| self.line_of("hiera3_backend", value, 0);
        if *self.owner != Owner::Global {
            let text = "'hiera3_backend' is only allowed in the global layer";
            return Err(self.fault("HIERA_V3_BACKEND_NOT_GLOBAL", text, line(None)));
        }
        if matches!(backend, "json" | "yaml" | "hocon") {
            let text = format!(
                "Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\""
            );
            let issue = "HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH";
            return Err(self.fault(issue, text, line(Some(backend))));
        }
        Ok(())
    }

    fn locations(&self, level: &Value, name: &str) -> Result<Locations, ConfigFault> {
        let keys: Vec<&str> =
            LOCATION_KEYS.into_iter().filter(|key| level.get(key).is_some()).collect();
        let key = match keys.as_slice() {
            [] => return Ok(Locations::None),
            [key] => *key,
            _ => {
                let keys = alternatives(&LOCATION_KEYS);
                let text = format!("Only one of {keys} can be defined in hierarchy '{name}'");
                return Err(self.fault("HIERA_MULTIPLE_LOCATION_SPECS", text, None));
            }
        };
        let texts = texts_of(level.get(key));
        Ok(match key {
            "path" | "paths" => Locations::Paths(texts),
            "glob" | "globs" => Locations::Globs(texts),
            "uri" | "uris" => Locations::Uris(texts),
            _ => match <[EcoString; 3]>::try_from(texts) {
                Ok(mapped) => Locations::Mapped(mapped),
                Err(_) => Locations::None,
            },
        })
    }

    fn version_4(&self, value: &Value) -> Result<Config, ConfigFault> {
        if *self.owner == Owner::Global {
            let text = "hiera.yaml version 4 cannot be used in the global layer";
            return Err(self.fault("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", text, None));
        }
        self.check(&shape::version_4(value))?;
        let datadir = text_of(value.get("datadir")).unwrap_or_else(|| "data".into());
        let default =
            [Value::hash([("name", "common"), ("backend", "yaml")].map(|(k, v)| (k, v.into())))];
        let levels = value.get("hierarchy").and_then(Value::as_array).unwrap_or(&default);
        let mut hierarchy = Vec::new();
        for level in levels {
            let name = text_of(level.get("name")).unwrap_or_default();
            let backend = text_of(level.get("backend")).unwrap_or_default();
            if !matches!(backend.as_str(), "yaml" | "json") {
                let text = format!("No data provider is registered for backend '{backend}'");
                let line = self.line_of("backend", Some(&backend), 0);
                return Err(self.fault("HIERA_NO_PROVIDER_FOR_BACKEND", text, line));
            }
            let mut paths = texts_of(level.get("paths").or_else(|| level.get("path")));
            if paths.is_empty() && level.get("paths").is_none() {
                paths.push(name.clone());
            }
            hierarchy.push(Level {
                name,
                kind: FunctionKind::DataHash,
                function: ecow::eco_format!("{backend}_data"),
                datadir: text_of(level.get("datadir")).unwrap_or_else(|| datadir.clone()),
                locations: Locations::Paths(paths),
                options: None,
                extension: Some(ecow::eco_format!(".{backend}")),
                twice: None,
            });
        }
        self.check_names(&mut hierarchy);
        Ok(self.config(4, hierarchy, None))
    }

    fn version_3(&self, value: &Value) -> Result<Config, ConfigFault> {
        let backends = match value.get("backends") {
            None => vec!["yaml".into()],
            some => texts_of(some),
        };
        self.check(&shape::version_3(value, &backends))?;
        let paths = match value.get("hierarchy") {
            None => vec!["nodes/%{::trusted.certname}".into(), "common".into()],
            some => texts_of(some),
        };
        let mut numbered = backends.iter().enumerate();
        if let Some((_, twice)) = numbered.find(|(i, backend)| backends[..*i].contains(backend)) {
            let text = format!("Backend '{twice}' is defined more than once.");
            return Err(self.fault("HIERA_BACKEND_MULTIPLY_DEFINED", text, None));
        }
        let mut hierarchy = Vec::new();
        for backend in backends {
            let (kind, function) = match backend.as_str() {
                "yaml" | "json" | "hocon" => (FunctionKind::DataHash, "_data"),
                "eyaml" => (FunctionKind::LookupKey, "_lookup_key"),
                _ => (FunctionKind::Hiera3Backend, ""),
            };
            let settings = value.get(&backend);
            let datadir = settings.and_then(|s| text_of(s.get("datadir")));
            let extension = settings.and_then(|s| text_of(s.get("extension")));
            let usual = if backend == "hocon" { "conf".into() } else { backend.clone() };
            hierarchy.push(Level {
                name: backend.clone(),
                kind,
                function: ecow::eco_format!("{backend}{function}"),
                datadir: datadir.unwrap_or_default(),
                locations: Locations::Paths(paths.clone()),
                options: settings.filter(|_| kind == FunctionKind::LookupKey).cloned(),
                extension: Some(ecow::eco_format!(".{}", extension.unwrap_or(usual))),
                twice: None,
            });
        }
        let mut config = self.config(3, hierarchy, None);
        config.merge = version_3_merge(value).map_err(ConfigFault::plain)?;
        Ok(config)
    }
}

fn version_3_merge(value: &Value) -> Result<Strategy, String> {
    let name = match value.get("merge_behavior").and_then(Value::as_str) {
        Some("deep") => "reverse_deep",
        Some("deeper") => "unconstrained_deep",
        _ => return Ok(Strategy::First),
    };
    let mut options =
        value.get("deep_merge_options").and_then(Value::as_hash).cloned().unwrap_or_default();
    options.insert(Value::from("strategy"), Value::from(name));
    Strategy::of(&Value::Hash(Arc::new(options)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str, owner: &Owner) -> Result<Config, ConfigFault> {
        Config::read(Path::new("/e/hiera.yaml"), text, owner, Strict::Error)
    }

    #[test]
    fn levels_use_the_defaults() {
        let text = "version: 5\ndefaults:\n  datadir: d\n  data_hash: json_data\nhierarchy:\n  - name: a\n    paths: [x, y]\n";
        let config = read(text, &Owner::Environment).unwrap();
        let level = &config.hierarchy[0];
        assert_eq!((level.function.as_str(), level.datadir.as_str()), ("json_data", "d"));
        assert_eq!(level.locations, Locations::Paths(vec!["x".into(), "y".into()]));
    }

    #[test]
    fn a_name_given_twice_is_shown_with_both_lines() {
        let text = "version: 5\nhierarchy:\n  - name: a\n    path: x\n  - name: a\n    path: y\n";
        let config = read(text, &Owner::Environment).unwrap();
        let fault = config.hierarchy[1].twice.as_deref().unwrap();
        assert_eq!(fault.issue, Some("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED"));
        assert_eq!(fault.line, Some(5));
        assert!(fault.message.ends_with("First defined at (line: 3)"), "{}", fault.message);
    }

    #[test]
    fn wrong_shapes_are_listed() {
        let text = "version: 5\nhierarchy:\n  - name: a\n    path: 7\n    uris: []\n  - foo\n";
        let fault = read(text, &Owner::Environment).unwrap_err();
        let lines: Vec<&str> = fault.message.lines().collect();
        assert!(lines[0].ends_with("index 0 entry 'path' expects a String value, got Integer"));
        assert!(lines[1].ends_with("entry 'uris' expects size to be at least 1, got 0"));
        assert!(lines[2].ends_with("index 1 expects a Struct value, got String"), "{}", lines[2]);
    }

    #[test]
    fn default_hierarchies_are_for_modules() {
        let text = "version: 5\ndefault_hierarchy: []\n";
        let fault = read(text, &Owner::Global).unwrap_err();
        assert_eq!(fault.line, Some(2));
        assert!(read(text, &Owner::Module("m".into())).is_ok());
    }
}
