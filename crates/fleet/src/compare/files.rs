//! Compares the files that resources copy from modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_data::Value;
use ordain_driver::puppet::shared::SharedEnvironment;
use ordain_functions::digest::sha256_bytes;
use ordain_graph::Graph;
use ordain_source::EntryKind;
use rustc_hash::FxHashMap;

use super::document::document;
use crate::change::{Change, Content};

/// The most files of a directory that are compared.
const MAX_FILES: usize = 10_000;

/// The most directories inside of each other.
const MAX_DEPTH: usize = 32;

/// Texts above this size are shown by their digests.
const MAX_TEXT: usize = 256 << 10;

/// The addresses of module files that the resources of a graph copy, with the names of the resources.
/// Of several addresses a resource uses the first that exists.
pub(crate) fn addresses(graph: &Graph) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let files = graph.resources().filter(|(_, r)| r.id.kind == "File" && !r.is_virtual);
    for (_, resource) in files {
        let Some(source) = resource.value("source") else { continue };
        let several = source.as_list().unwrap_or_default();
        let sources = source.as_str().into_iter().chain(several.iter().filter_map(Value::as_str));
        let ours = sources.filter(|address| module_file(address).is_some());
        found.extend(ours.map(|address| (resource.id.to_string(), address.to_owned())));
    }
    found
}

/// The module and the path in its files that an address names.
fn module_file(address: &str) -> Option<(&str, &str)> {
    let (_, path) = address.strip_prefix("puppet://")?.split_once('/')?;
    let (module, rest) = path.strip_prefix("modules/")?.split_once('/')?;
    (!rest.split('/').any(|part| part == "..")).then_some((module, rest))
}

/// A file below an address that differs: its path below, and its contents.
type FileChange = (String, Option<Content>, Option<Content>);

/// The files of both sides. Each address is compared once.
pub(crate) struct SourceFiles<'e> {
    before: &'e SharedEnvironment,
    after: &'e SharedEnvironment,
    known: Mutex<FxHashMap<String, Arc<Vec<FileChange>>>>,
}

impl<'e> SourceFiles<'e> {
    pub(crate) fn new(before: &'e SharedEnvironment, after: &'e SharedEnvironment) -> Self {
        Self { before, after, known: Mutex::default() }
    }

    /// The changes of the files that a resource copies from an address, with their paths.
    pub(crate) fn changes(&self, resource: &str, address: &str) -> Vec<(Change, PathBuf)> {
        let found = self.compared(address);
        let place = place(self.after, address).or_else(|| place(self.before, address));
        let change = |(below, before, after): &FileChange| {
            let texts = match (before, after) {
                (Some(Content::Text(before)), Some(Content::Text(after))) => Some((before, after)),
                _ => None,
            };
            let source = match below.is_empty() {
                true => address.to_owned(),
                false => format!("{}/{below}", address.trim_end_matches('/')),
            };
            let change = Change::File {
                resource: resource.to_owned(),
                document: texts.and_then(|(before, after)| document(&source, before, after)),
                source,
                before: before.clone(),
                after: after.clone(),
            };
            (change, place.as_deref().unwrap_or(Path::new("")).join(below))
        };
        found.iter().map(change).collect()
    }

    fn compared(&self, address: &str) -> Arc<Vec<FileChange>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(address) {
            return Arc::clone(found);
        }
        let (mut before, after) = (files(self.before, address), files(self.after, address));
        let mut found = Vec::new();
        for (path, bytes) in after {
            let was = before.remove(&path);
            if was.as_ref() != Some(&bytes) {
                found.push((path, was.map(content), Some(content(bytes))));
            }
        }
        found.extend(before.into_iter().map(|(path, was)| (path, Some(content(was)), None)));
        let found = Arc::new(found);
        known().insert(address.to_owned(), Arc::clone(&found));
        found
    }
}

/// The path that an address names.
fn place(env: &SharedEnvironment, address: &str) -> Option<PathBuf> {
    let (module, rest) = module_file(address)?;
    let module = env.environment().modules.get(module)?;
    Some(module.dir.join("files").join(rest))
}

/// The files at an address by their paths below it; the path of a single file is empty.
fn files(env: &SharedEnvironment, address: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Some(place) = place(env, address) else { return found };
    let env = env.environment();
    let mut queue: Vec<(PathBuf, String, usize)> = vec![(place, String::new(), 0)];
    while let Some((path, below, depth)) = queue.pop() {
        if found.len() >= MAX_FILES || depth > MAX_DEPTH {
            break;
        }
        match env.world.kind(&path) {
            Some(EntryKind::File) => {
                if let Ok(bytes) = env.world.read(&path) {
                    found.insert(below, bytes);
                }
            }
            Some(EntryKind::Directory) => {
                for (name, _) in env.world.list(&path).unwrap_or_default() {
                    let inside = Path::new(&below).join(&name).to_string_lossy().into_owned();
                    queue.push((path.join(&name), inside, depth + 1));
                }
            }
            _ => {}
        }
    }
    found
}

fn content(bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Ok(text) if text.len() <= MAX_TEXT && !text.contains('\0') => Content::Text(text),
        Ok(text) => digest(text.as_bytes()),
        Err(error) => digest(error.as_bytes()),
    }
}

fn digest(bytes: &[u8]) -> Content {
    let sha256 = sha256_bytes(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Content::Digest { sha256, size: bytes.len() }
}
