//! The parts of the code under test that tests reach.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ordain_graph::{Containment, Graph};
use ordain_source::SourceMap;

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
        let mut modules = vec![(source.to_path_buf(), None)];
        for dir in ["modules", "site", "site-modules"] {
            for (name, path) in entries(&source.join(dir)) {
                // A link leads to a module elsewhere.
                if path.is_dir() && !path.is_symlink() {
                    modules.push((path, Some(name)));
                }
            }
        }
        for (dir, name) in modules {
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

    /// Adds what another test covers.
    pub(crate) fn merge(&mut self, other: Self) {
        for (name, (place, is_named)) in other.resources {
            self.resources.entry(name).or_insert((place, false)).1 |= is_named;
        }
        for (name, compiled) in other.definitions {
            *self.definitions.entry(name).or_insert(false) |= compiled;
        }
    }

    /// The numbers of covered and of all resources.
    pub fn resource_numbers(&self) -> (usize, usize) {
        (self.resources.values().filter(|known| known.1).count(), self.resources.len())
    }

    /// The numbers of compiled and of all classes and defines.
    pub fn definition_numbers(&self) -> (usize, usize) {
        (self.definitions.values().filter(|known| **known).count(), self.definitions.len())
    }
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
