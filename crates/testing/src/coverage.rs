//! The parts of the code under test that tests reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ordain_graph::{Containment, Graph};
use ordain_puppet::eval::UsedCode;
use ordain_source::SourceMap;
use ordain_source::layer::absolute;

use crate::branches::{branches, keys};
use crate::expect::Expect;

/// Directories whose code is that of others.
const FOREIGN: [&str; 3] = ["spec/fixtures", "vendor", ".git"];

/// The resources, classes and defines of the sources, and whether tests reach them.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// Resources that the code declares, by name, with the place of the declaration and whether an
    /// expectation names the resource or a snapshot has it.
    pub resources: BTreeMap<String, (String, bool)>,
    /// Classes and defines, by name, with whether a test compiles them.
    pub definitions: BTreeMap<String, bool>,
    /// Branches of conditions in manifests, by place and number, with their text and whether a test
    /// takes them.
    pub branches: BTreeMap<(String, u32, u32), (String, bool)>,
    /// Keys of data files, by file and name, with the line and whether a test finds their value.
    pub keys: BTreeMap<(String, String), (u32, bool)>,
    /// The directories of the sources.
    sources: BTreeSet<PathBuf>,
    /// The places of the branches that tests take: file, offset of the condition, number.
    taken: BTreeSet<(PathBuf, u32, u32)>,
    /// The keys that tests find.
    found: BTreeSet<(PathBuf, String)>,
}

impl Coverage {
    /// Adds the graph of a test. `source` is the directory of the source.
    pub(crate) fn add(
        &mut self,
        graph: &Graph,
        (sources, source): (&SourceMap, &Path),
        expect: &Expect,
    ) {
        let named: BTreeSet<_> = expect.names().filter_map(|name| graph.find_text(name)).collect();
        for (id, resource) in graph.resources().filter(|(_, resource)| !resource.is_virtual) {
            if resource.containment != Containment::Leaf {
                let kind = match resource.containment {
                    Containment::Define => resource.id.kind.to_lowercase(),
                    _ => resource.id.title.to_lowercase(),
                };
                if let Some(compiled) = self.definitions.get_mut(kind.as_str()) {
                    *compiled = true;
                }
                continue;
            }
            let Some(span) = graph.origins.get(resource.origin).span else { continue };
            let file = sources.file(span.file);
            let Some(shown) = own_path(&file.path, source) else { continue };
            let line = file.line_col(span.range.start).line;
            let place = format!("{}:{line}", shown.display());
            let is_named = expect.snapshot.is_some() || named.contains(&id);
            let known = self.resources.entry(resource.id.to_string()).or_insert((place, false));
            known.1 |= is_named;
        }
    }

    /// Adds the classes and defines whose files are below a directory, by the names that the
    /// autoloader expects.
    pub(crate) fn add_definitions(&mut self, source: &Path) {
        for (dir, name) in own_modules(source) {
            let Some(module) = name.or_else(|| crate::prepare::module_name(&dir)) else { continue };
            let mut open = vec![(dir.join("manifests"), vec![module])];
            while let Some((dir, names)) = open.pop() {
                for (entry, path) in entries(&dir) {
                    let mut names = names.clone();
                    if path.is_dir() {
                        names.push(entry);
                        open.push((path, names));
                    } else if let Some(stem) = entry.strip_suffix(".pp") {
                        if !(stem == "init" && names.len() == 1) {
                            names.push(stem.to_owned());
                        }
                        self.definitions.entry(names.join("::")).or_insert(false);
                    }
                }
            }
        }
    }

    /// Adds the branches and keys that a compile uses, whether it fails or not.
    pub(crate) fn add_used(&mut self, used: &UsedCode, (texts, source): (&SourceMap, &Path)) {
        self.sources.insert(source.to_path_buf());
        for (span, number) in used.branches() {
            let path = absolute(&texts.file(span.file).path);
            self.taken.insert((path, span.range.start, number));
        }
        let found = used.keys().into_iter();
        self.found.extend(found.map(|(path, key)| (absolute(&path), key.to_string())));
    }

    /// Adds the branches and keys of all sources, with whether tests use them.
    pub(crate) fn complete(&mut self) {
        for source in &self.sources {
            for (dir, name) in own_modules(source) {
                let mut dirs = vec![dir.join("manifests")];
                if name.is_some() {
                    dirs.push(dir.join("functions"));
                }
                for path in dirs.iter().flat_map(|dir| files(dir, &["pp"])) {
                    let shown = shown(&path, source);
                    for branch in branches(&path) {
                        let is_taken =
                            self.taken.contains(&(path.clone(), branch.offset, branch.number));
                        let place = (shown.clone(), branch.line, branch.number);
                        let known = self.branches.entry(place).or_insert((branch.text, false));
                        known.1 |= is_taken;
                    }
                }
                for path in files(&dir.join("data"), &["yaml", "yml", "eyaml", "json"]) {
                    for (key, line) in keys(&path) {
                        let is_found = self.found.contains(&(path.clone(), key.clone()));
                        self.keys.insert((shown(&path, source), key), (line, is_found));
                    }
                }
            }
        }
    }

    /// Adds what another test covers.
    pub(crate) fn merge(&mut self, other: Self) {
        for (name, (place, is_named)) in other.resources {
            self.resources.entry(name).or_insert((place, false)).1 |= is_named;
        }
        for (name, compiled) in other.definitions {
            *self.definitions.entry(name).or_insert(false) |= compiled;
        }
        self.sources.extend(other.sources);
        self.taken.extend(other.taken);
        self.found.extend(other.found);
    }

    /// The numbers of covered and of all resources.
    pub fn resource_numbers(&self) -> (usize, usize) {
        (self.resources.values().filter(|known| known.1).count(), self.resources.len())
    }

    /// The numbers of taken and of all branches.
    pub fn branch_numbers(&self) -> (usize, usize) {
        (self.branches.values().filter(|known| known.1).count(), self.branches.len())
    }

    /// The numbers of used and of all keys of data.
    pub fn key_numbers(&self) -> (usize, usize) {
        (self.keys.values().filter(|known| known.1).count(), self.keys.len())
    }

    /// The numbers of compiled and of all classes and defines.
    pub fn definition_numbers(&self) -> (usize, usize) {
        (self.definitions.values().filter(|known| **known).count(), self.definitions.len())
    }
}

/// The directory of a source, and those of its own modules with their names.
fn own_modules(source: &Path) -> Vec<(PathBuf, Option<String>)> {
    let mut modules = vec![(source.to_path_buf(), None)];
    for dir in ["modules", "site", "site-modules"] {
        for (name, path) in entries(&source.join(dir)) {
            // A link leads to a module elsewhere.
            if path.is_dir() && !path.is_symlink() {
                modules.push((path, Some(name)));
            }
        }
    }
    modules
}

/// The files below a directory whose names have one of the endings. Links are left out.
fn files(dir: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![dir.to_path_buf()]);
    while let Some(dir) = open.pop() {
        for (_, path) in entries(&dir) {
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if ending.is_some_and(|ending| endings.contains(&ending)) {
                found.push(path);
            }
        }
    }
    found
}

/// A path as reports show it.
fn shown(path: &Path, source: &Path) -> String {
    path.strip_prefix(source).unwrap_or(path).display().to_string()
}

/// The names and paths of a directory's entries, sorted. One that cannot be listed has none.
fn entries(dir: &Path) -> Vec<(String, PathBuf)> {
    let found = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let named =
        found.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut all: Vec<_> = named.collect();
    all.sort();
    all
}

/// The path relative to the source, if the file belongs to it.
fn own_path(file: &Path, source: &Path) -> Option<PathBuf> {
    let relative = file.strip_prefix(source).ok()?;
    let is_foreign = FOREIGN.iter().any(|dir| relative.starts_with(dir));
    let is_test = relative.starts_with(crate::prepare::DIRECTORY);
    (!is_foreign && !is_test).then(|| relative.to_path_buf())
}
