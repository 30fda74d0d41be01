//! Reads `project.yml` and the metadata of modules.

use std::path::{Path, PathBuf};

use ordain_data::Value as Data;
use ordain_source::World;

use crate::diagnostics::{Class, Error, Result};

/// The metadata of a project.
#[derive(Clone, Default, Debug)]
pub struct Project {
    /// Its directory.
    pub directory: PathBuf,
    /// Its name.
    pub name: String,
    /// The directories of modules.
    pub modulepath: Vec<PathBuf>,
    /// Rules for the order in which relations are frozen.
    pub precedence: Vec<[String; 4]>,
    /// Whether modules may be Python packages.
    pub has_package_source: bool,
}

impl Project {
    /// The project around a path: the nearest directory with `project.yml`.
    pub fn around(world: &dyn World, path: &Path) -> Option<PathBuf> {
        path.ancestors()
            .find(|directory| world.kind(&directory.join("project.yml")).is_some())
            .map(Path::to_path_buf)
    }

    /// Reads the `project.yml` of a directory.
    ///
    /// # Errors
    /// If the file is missing or invalid.
    pub fn read(world: &dyn World, directory: &Path) -> Result<Self> {
        let path = directory.join("project.yml");
        let shown = path.display();
        let bytes = world.read(&path).map_err(|_| {
            let message = format!("Metadata file {shown} does not exist");
            Error::new(Class::ModuleMetadataFileNotFound, message)
        })?;
        let text = String::from_utf8_lossy(&bytes);
        let data =
            ordain_data::yaml::read(&text, ordain_data::yaml::Schema::Core).map_err(|error| {
                let message = format!("Invalid yaml syntax in {shown}:\n{error}");
                Error::new(Class::InvalidMetadata, message)
            })?;
        let texts = |key: &str| -> Vec<String> {
            match entry(&data, key) {
                Some(Data::List(items)) => items.iter().filter_map(text_of).collect(),
                Some(value) => text_of(value).into_iter().collect(),
                None => Vec::new(),
            }
        };
        let mut precedence = Vec::new();
        for rule in texts("relation_precedence_policy") {
            precedence.push(parse_rule(&rule).ok_or_else(|| {
                let message = format!("Metadata defined in {shown} is invalid:\n  {rule}");
                Error::new(Class::InvalidMetadata, message)
            })?);
        }
        let sources = match entry(&data, "repo") {
            Some(Data::List(items)) => items.iter().collect(),
            single => Vec::from_iter(single),
        };
        let is_package = |source: &&Data| {
            entry(source, "type").and_then(Data::as_str).is_some_and(|kind| kind == "package")
        };
        Ok(Self {
            has_package_source: sources.iter().any(is_package),
            directory: directory.to_path_buf(),
            name: texts("name").into_iter().next().unwrap_or_default(),
            modulepath: texts("modulepath").iter().map(|path| directory.join(path)).collect(),
            precedence,
        })
    }
}

fn entry<'a>(data: &'a Data, key: &str) -> Option<&'a Data> {
    let Data::Map(map) = data else { return None };
    map.iter().find(|(k, _)| k.as_str() == Some(key)).map(|(_, value)| value)
}

fn text_of(data: &Data) -> Option<String> {
    data.as_str().map(str::to_owned)
}

/// Reads `ns::A.x before ns::B.y`.
pub fn parse_rule(rule: &str) -> Option<[String; 4]> {
    let mut words = rule.split_whitespace();
    let (first, word, then) = (words.next()?, words.next()?, words.next()?);
    if word != "before" || words.next().is_some() {
        return None;
    }
    let (entity, relation) = first.rsplit_once('.')?;
    let (then_entity, then_relation) = then.rsplit_once('.')?;
    Some([entity, relation, then_entity, then_relation].map(str::to_owned))
}

/// A key of a module's metadata, from `module.yml` or `setup.cfg`.
fn of_module(world: &dyn World, directory: &Path, name: &str) -> Option<Data> {
    let read = |name: &str| {
        let bytes = world.read(&directory.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    if let Some(text) = read("module.yml") {
        let data = ordain_data::yaml::read(&text, ordain_data::yaml::Schema::Core).ok()?;
        return entry(&data, name).cloned();
    }
    let text = read("setup.cfg")?;
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[metadata]").skip(1);
    let mut own = lines.by_ref().take_while(|line| !line.starts_with('['));
    own.find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| Data::Str(value.trim().into()))
    })
}

/// The import name of a module of version 2.
pub(super) fn name_of_package(world: &dyn World, directory: &Path) -> Option<String> {
    let name = text_of(&of_module(world, directory, "name")?)?;
    let name = name.strip_prefix("inmanta-module-").unwrap_or(&name);
    Some(name.replace('-', "_"))
}

/// The version of a module.
pub fn version(world: &dyn World, directory: &Path) -> Option<String> {
    match of_module(world, directory, "version")? {
        Data::Str(text) => Some(text.to_string()),
        Data::Int(number) => Some(number.to_string()),
        Data::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a module is marked as deprecated.
pub(super) fn is_deprecated(world: &dyn World, directory: &Path) -> bool {
    match of_module(world, directory, "deprecated") {
        Some(Data::Bool(truth)) => truth,
        Some(Data::Str(text)) => {
            matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1")
        }
        _ => false,
    }
}
