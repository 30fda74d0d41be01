//! Metadata of the sources of files at the time of a compile, for static catalogs.
//!
//! A file that is copied from a module of the environment gets the metadata that a server would
//! send to an agent: type, owner, mode, digest. Files of other modules, mounts and machines are
//! left to the agent.

mod metadata;
mod request;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_data::Value;
use ordain_functions::checksum::NAMES;
use ordain_graph::served::{FileMetadata, ServedTree};
use ordain_graph::{Graph, Resource, ResourceId, ServedFiles};

use crate::kind::params::reveal;
use request::Request;

/// The served directories, and the checksum of contents.
#[derive(Debug)]
pub struct Server {
    environment: PathBuf,
    modules: BTreeMap<String, PathBuf>,
    checksum: String,
}

/// An error of the sources of a resource.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServeError {
    /// The resource.
    pub resource: ResourceId,
    /// The message.
    pub message: String,
}

/// A source that does not exist, or is outside the environment.
enum Source {
    Missing,
    Elsewhere,
    /// The file, and the address of its content.
    Here(PathBuf, String),
}

impl Server {
    /// A server of an environment with these modules. It uses the first supported checksum type in
    /// the agent's list, which is separated by dots.
    ///
    /// # Errors
    /// When none is known.
    pub fn new(
        environment: &Path,
        modules: impl IntoIterator<Item = (String, PathBuf)>,
        checksums: &str,
    ) -> Result<Self, String> {
        let Some(checksum) = checksums.split('.').find(|name| NAMES.contains(name)) else {
            return Err(format!(
                "none of the kinds of checksums in `{checksums}` is known; there are {}",
                NAMES.join(", ")
            ));
        };
        let modules = modules.into_iter().map(|(name, dir)| (name, walk::absolute(&dir)));
        Ok(Self {
            environment: walk::absolute(environment),
            modules: modules.collect(),
            checksum: checksum.to_string(),
        })
    }

    /// Reads the metadata of the sources of all files of a graph. Also returns warnings.
    ///
    /// # Errors
    /// When a source cannot be read, or none of a resource's sources exists.
    pub fn serve(&self, graph: &Graph) -> Result<(ServedFiles, Vec<String>), Vec<ServeError>> {
        let mut served = ServedFiles::default();
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        let exists = |r: &Resource| !r.is_virtual || r.exported;
        for (id, resource) in graph.resources() {
            if resource.id.kind == "File"
                && exists(resource)
                && let Err(message) = self.resource(resource, &mut served, &mut warnings)
            {
                errors.push(ServeError { resource: id, message });
            }
        }
        if errors.is_empty() { Ok((served, warnings)) } else { Err(errors) }
    }

    fn resource(
        &self,
        resource: &Resource,
        served: &mut ServedFiles,
        warnings: &mut Vec<String>,
    ) -> Result<(), String> {
        let sources = sources(resource);
        let absent = resource.value("ensure").and_then(|v| reveal(v).0.as_str()) == Some("absent");
        let plain: Vec<&str> = sources.iter().filter_map(|v| v.as_str()).collect();
        let is_ours = |text: &&str| text.lines().any(|line| line.starts_with("puppet:"));
        if absent || plain.is_empty() || plain.len() < sources.len() || !plain.iter().all(is_ours) {
            return Ok(());
        }
        let request = Request::read(resource, &self.checksum)?;
        let title = resource.id.title.clone();
        if request.recurses {
            let all = resource.value("sourceselect").is_some_and(|v| v.as_str() != Some("first"));
            let trees = self.trees(&plain, &request, all, warnings)?;
            if let Some(trees) = trees.filter(|trees| !trees.is_empty()) {
                served.recursive.insert(title, trees);
            }
        } else if let Some(file) = self.file(&plain, &request)? {
            served.single.insert(title, file);
        }
        Ok(())
    }

    /// The first source that exists, if it is served here.
    fn file(&self, sources: &[&str], request: &Request) -> Result<Option<FileMetadata>, String> {
        for source in sources.iter().map(|text| text.trim_end_matches('/')) {
            match self.find(source)? {
                Source::Missing => {}
                Source::Elsewhere => return Ok(None),
                Source::Here(path, uri) => {
                    let mut file = metadata::of(&path, None, request)?;
                    file.content_uri = Some(uri);
                    file.source = Some(source.to_string());
                    return Ok(Some(file));
                }
            }
        }
        Err(format!("Could not get metadata for {}", sources.join(", ")))
    }

    /// The trees below the sources; `None` if one of them is not served here.
    fn trees(
        &self,
        sources: &[&str],
        request: &Request,
        all: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<ServedTree>>, String> {
        let mut trees: Vec<ServedTree> = Vec::new();
        for source in sources.iter().map(|text| text.trim_end_matches('/')) {
            match self.find(source)? {
                Source::Missing => {}
                Source::Elsewhere => return Ok(None),
                Source::Here(path, uri) => {
                    let tree = tree(&path, &uri, request, warnings)?;
                    trees.retain(|(known, _)| known != source);
                    trees.push((EcoString::from(source), tree));
                    if !all {
                        break;
                    }
                }
            }
        }
        Ok(Some(trees))
    }

    fn find(&self, source: &str) -> Result<Source, String> {
        let Some((host, path)) = split(source) else { return Ok(Source::Elsewhere) };
        if !host.is_empty() {
            return Ok(Source::Elsewhere);
        }
        let (mount, rest) = path.split_once('/').unwrap_or((path, ""));
        if rest.split('/').any(|part| part == "..") {
            return Err(format!("Cannot find file: Invalid relative path '{rest}'"));
        }
        let rest: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        let found = match mount {
            "modules" => self.of_module("files", &rest)?,
            "scripts" => self.of_module("scripts", &rest)?,
            "tasks" => self.of_module("tasks", &rest)?,
            "plugins" => self.of_any("lib", &rest),
            "pluginfacts" => self.of_any("facts.d", &rest),
            "locales" => self.of_any("locales", &rest),
            // Other mounts are a server's own.
            _ => return Ok(Source::Elsewhere),
        };
        let Some(path) = found.filter(|path| path.exists()) else { return Ok(Source::Missing) };
        Ok(match self.address(&path) {
            Some(uri) if mount == "modules" => Source::Here(path, uri),
            _ => Source::Elsewhere,
        })
    }

    fn of_module(&self, folder: &str, rest: &[&str]) -> Result<Option<PathBuf>, String> {
        let Some((module, rest)) = rest.split_first() else {
            return Err("No module specified".to_string());
        };
        let dir = self.modules.get(*module).map(|dir| dir.join(folder));
        Ok(dir.map(|dir| rest.iter().fold(dir, |path, part| path.join(part))))
    }

    fn of_any(&self, folder: &str, rest: &[&str]) -> Option<PathBuf> {
        let place =
            |dir: &PathBuf| rest.iter().fold(dir.join(folder), |path, part| path.join(part));
        self.modules.values().map(place).find(|path| path.exists())
    }

    /// The address of a file's content, if it is `…/…/files/…` of the environment.
    fn address(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.environment).ok()?;
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let is_file = parts.len() > 3 && parts[2] == "files";
        is_file.then(|| format!("puppet:///{}", parts.join("/")))
    }
}

fn tree(
    path: &Path,
    uri: &str,
    request: &Request,
    warnings: &mut Vec<String>,
) -> Result<Vec<FileMetadata>, String> {
    let mut files = Vec::new();
    for below in walk::below(path, request, warnings)? {
        let is_root = below == ".";
        let mut file = metadata::of(path, Some(&below), request)?;
        file.content_uri = Some(if is_root { uri.to_string() } else { format!("{uri}/{below}") });
        files.push(file);
    }
    Ok(files)
}

/// The host and the path of an address, without query and fragment.
fn split(source: &str) -> Option<(&str, &str)> {
    let rest = source.strip_prefix("puppet://")?;
    let (host, path) = rest.split_once('/')?;
    let end = path.find(['?', '#']).filter(|at| path[*at..].starts_with('?'));
    Some((host, &path[..end.unwrap_or(path.len())]))
}

/// The sources of a resource that are set.
fn sources(resource: &Resource) -> Vec<&Value> {
    let mut out = Vec::new();
    let mut todo: Vec<&Value> = resource.value("source").into_iter().collect();
    while let Some(value) = todo.pop() {
        match reveal(value).0 {
            Value::List(items) => todo.extend(items.iter().rev()),
            Value::Null => {}
            value => out.push(value),
        }
    }
    out
}

#[cfg(test)]
mod tests;
