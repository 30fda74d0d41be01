//! The nodes that use each class, define and key of data.
//!
//! The numbers come from compiles of all nodes, which an editor never waits for: a [`UsageJob`] runs on
//! another thread once lenses were asked for. A record has the paths that each compile read, so after
//! a change only the nodes that read the file are compiled again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use ordain_driver::puppet::{self, OpenEnvironment};
use ordain_driver::{CollectingReporter, Options};
use ordain_graph::Containment;
use ordain_puppet::eval::{STACK_SIZE, UsedCode};
use ordain_puppet::session::compile_node_here;
use ordain_source::World;
use ordain_source::budget::Watch;
use ordain_source::inputs::{Aspect, Recording};
use ordain_source::layer::absolute;
use ordain_source::limits::on_deep_stack;
use rustc_hash::FxHashMap;

use crate::node::{NodeSettings, environment_dir};

/// The maximal number of nodes of an environment that are compiled.
const MAX_NODES: usize = 500;

/// The numbers of nodes that use the parts of an environment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Usage {
    /// The nodes that compile.
    nodes: usize,
    /// The nodes that do not compile.
    failed: usize,
    /// By the names of classes and defines.
    definitions: FxHashMap<EcoString, usize>,
    /// By data file and key.
    keys: FxHashMap<PathBuf, FxHashMap<EcoString, usize>>,
}

impl Usage {
    fn of(nodes: &BTreeMap<String, NodeUsage>) -> Self {
        let mut out = Self::default();
        for node in nodes.values() {
            if !node.is_sound {
                out.failed += 1;
                continue;
            }
            out.nodes += 1;
            for name in &node.definitions {
                *out.definitions.entry(name.clone()).or_default() += 1;
            }
            for (file, key) in &node.keys {
                let keys = out.keys.entry(file.clone()).or_default();
                *keys.entry(key.clone()).or_default() += 1;
            }
        }
        out
    }

    /// The text about a class or define; `None` without nodes.
    pub(crate) fn of_definition(&self, name: &str) -> Option<String> {
        self.text(self.definitions.get(name))
    }

    /// The text about a key of a data file; `None` without nodes.
    pub(crate) fn of_key(&self, file: &Path, key: &str) -> Option<String> {
        self.text(self.keys.get(file).and_then(|keys| keys.get(key)))
    }

    fn text(&self, used: Option<&usize>) -> Option<String> {
        let (used, total) = (used.copied().unwrap_or_default(), self.nodes);
        let nodes = if total == 1 { "node" } else { "nodes" };
        let known = (total > 0).then(|| format!("used by {used} of {total} {nodes}"));
        let failed = match self.failed {
            0 => None,
            1 => Some("1 node does not compile".to_owned()),
            failed => Some(format!("{failed} nodes do not compile")),
        };
        let parts: Vec<String> = known.into_iter().chain(failed).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// The parts of an environment that one node uses.
#[derive(Clone, Default)]
struct NodeUsage {
    /// Whether it has compiled.
    is_sound: bool,
    /// Whether a file that it read has changed since.
    is_stale: bool,
    definitions: BTreeSet<EcoString>,
    keys: Vec<(PathBuf, EcoString)>,
    /// The numbers of the paths whose content or existence it depends on, sorted.
    paths: Vec<u32>,
    /// The numbers of the directories whose entries it depends on, sorted.
    directories: Vec<u32>,
}

/// Numbers for paths, which many nodes share.
#[derive(Clone, Default)]
struct Paths(FxHashMap<PathBuf, u32>);

impl Paths {
    fn numbers<'a>(&mut self, paths: impl Iterator<Item = &'a OsString>) -> Vec<u32> {
        let number = |path: &OsString| {
            let next = self.0.len() as u32;
            *self.0.entry(absolute(Path::new(path))).or_insert(next)
        };
        let mut numbers: Vec<u32> = paths.map(number).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The nodes of an environment with their compiles.
#[derive(Clone, Default)]
struct Compiles {
    nodes: BTreeMap<String, NodeUsage>,
    paths: Paths,
}

impl Compiles {
    /// Marks the nodes that read a changed file. A new or removed file changes its directory.
    fn mark(&mut self, changed: &BTreeMap<PathBuf, bool>) {
        let number = |path: &Path| self.paths.0.get(path).copied();
        let files: Vec<u32> = changed.keys().filter_map(|path| number(path)).collect();
        let moved = changed.iter().filter(|(_, is_moved)| **is_moved);
        let directories = moved.filter_map(|(path, _)| number(path.parent()?));
        let directories: Vec<u32> = directories.collect();
        for node in self.nodes.values_mut() {
            node.is_stale |= files.iter().any(|n| node.paths.binary_search(n).is_ok())
                || directories.iter().any(|n| node.directories.binary_search(n).is_ok());
        }
    }
}

/// The numbers of all environments, and the changes that they lack.
#[derive(Default)]
pub(crate) struct Usages {
    known: Arc<BTreeMap<PathBuf, Usage>>,
    wanted: Arc<Mutex<BTreeSet<PathBuf>>>,
    compiles: BTreeMap<PathBuf, Compiles>,
    /// The files that have changed since the last job began, and whether they are new or removed.
    changed: BTreeMap<PathBuf, bool>,
    cancelled: Arc<AtomicBool>,
}

/// The numbers as a snapshot of files sees them.
#[derive(Clone)]
pub(crate) struct KnownUsages {
    known: Arc<BTreeMap<PathBuf, Usage>>,
    wanted: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl KnownUsages {
    /// The numbers for the environment around a file, as far as they are known. The next job is to
    /// find the others.
    pub(crate) fn around(&self, world: &dyn World, file: &Path) -> Option<&Usage> {
        let dir = environment_dir(world, file)?;
        let known = self.known.get(&dir);
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(dir);
        known
    }
}

impl Usages {
    pub(crate) fn snapshot(&self) -> KnownUsages {
        KnownUsages { known: Arc::clone(&self.known), wanted: Arc::clone(&self.wanted) }
    }

    /// Notes a change of a file, and ends a running job.
    pub(crate) fn changed(&mut self, path: &Path, is_moved: bool) {
        *self.changed.entry(path.to_path_buf()).or_default() |= is_moved;
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether lenses were asked for whose numbers are unknown or old.
    pub(crate) fn are_due(&self) -> bool {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        !wanted.is_empty()
            && (!self.changed.is_empty() || wanted.iter().any(|dir| !self.known.contains_key(dir)))
    }

    pub(crate) fn job(&mut self, settings: NodeSettings, world: Arc<dyn World>) -> UsageJob {
        self.cancelled = Arc::default();
        let changed = std::mem::take(&mut self.changed);
        self.compiles.values_mut().for_each(|compiles| compiles.mark(&changed));
        let wanted =
            std::mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner));
        let taken = wanted.into_iter().map(|dir| {
            let compiles = self.compiles.get(&dir).cloned().unwrap_or_default();
            (dir, compiles)
        });
        UsageJob {
            settings,
            world,
            environments: taken.collect(),
            cancelled: Arc::clone(&self.cancelled),
        }
    }

    /// Takes the result of a job. Returns whether numbers have changed.
    pub(crate) fn finish(&mut self, done: FinishedUsage) -> bool {
        let mut known = BTreeMap::clone(&self.known);
        for (dir, compiles, is_complete) in done.0 {
            if is_complete {
                known.insert(dir.clone(), Usage::of(&compiles.nodes));
            } else {
                self.wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(dir.clone());
            }
            self.compiles.insert(dir, compiles);
        }
        let is_new = known != *self.known;
        self.known = Arc::new(known);
        is_new
    }
}

/// Compiles of the nodes of environments. See [`crate::Workspace::usage_job`].
pub struct UsageJob {
    settings: NodeSettings,
    world: Arc<dyn World>,
    environments: Vec<(PathBuf, Compiles)>,
    cancelled: Arc<AtomicBool>,
}

/// The result of a [`UsageJob`].
pub struct FinishedUsage(Vec<(PathBuf, Compiles, bool)>);

impl UsageJob {
    /// Compiles the nodes that were never compiled or read a changed file. A change of a file ends it
    /// after the node that it compiles; the next job goes on.
    pub fn run(self) -> FinishedUsage {
        on_deep_stack(STACK_SIZE, || self.work())
    }

    fn work(self) -> FinishedUsage {
        let Self { settings, world, environments, cancelled } = self;
        let mut out = Vec::new();
        for (dir, mut compiles) in environments {
            let is_complete = work_on(&dir, &mut compiles, &settings, &world, &cancelled);
            out.push((dir, compiles, is_complete));
        }
        FinishedUsage(out)
    }
}

/// Compiles the nodes of an environment. Returns whether it came to the end.
fn work_on(
    dir: &Path,
    compiles: &mut Compiles,
    settings: &NodeSettings,
    world: &Arc<dyn World>,
    cancelled: &AtomicBool,
) -> bool {
    let options = Options { has_history: false, ..Options::default() };
    let mut reporter = CollectingReporter::default();
    // An environment that cannot be opened has diagnostics of its own, and the last numbers stay.
    let Ok(site) = puppet::open_world(&mut reporter, Arc::clone(world), dir, &options) else {
        return true;
    };
    let mut names = settings.names_of(site.env.world.as_ref(), &site.env.site);
    names.truncate(MAX_NODES);
    let is_named = |name: &String, _: &mut NodeUsage| names.binary_search(name).is_ok();
    compiles.nodes.retain(is_named);
    for name in &names {
        if compiles.nodes.get(name).is_some_and(|node| !node.is_stale) {
            continue;
        }
        if cancelled.load(Ordering::Relaxed) {
            return false;
        }
        let found = compile(&site, settings, name, &mut compiles.paths);
        let known = compiles.nodes.entry(name.clone()).or_default();
        if found.is_sound {
            *known = found;
        } else {
            // While code is typed it may not compile, and the last numbers are better than none.
            let NodeUsage { paths, directories, .. } = found;
            *known = NodeUsage { paths, directories, is_stale: false, ..std::mem::take(known) };
        }
    }
    true
}

/// Compiles a node.
fn compile(
    site: &OpenEnvironment,
    settings: &NodeSettings,
    name: &str,
    paths: &mut Paths,
) -> NodeUsage {
    let env = &site.env;
    let mut out = NodeUsage::default();
    let used = UsedCode::default();
    let options = Options { has_history: false, used: Some(used.clone()), ..Options::default() };
    let _watch = Watch::begin();
    let recording = Recording::begin();
    let node = settings.node(env.world.as_ref(), name);
    let compiled = node.map(|node| compile_node_here(env, site.settings(&options, &node), &node));
    let mut inputs = recording.finish();
    env.add_definition_paths(&mut inputs);
    if let Some(path) = settings.file(env.world.as_ref(), name) {
        inputs.add_path(Aspect::Content, &path);
    }
    let site_files = env.site.iter().map(|program| env.sources.file(program.file).path.clone());
    site_files.for_each(|path| inputs.add_path(Aspect::Content, &path));
    out.paths = paths.numbers(inputs.contents.iter().chain(&inputs.kinds));
    out.directories = paths.numbers(inputs.entries.iter());
    let Some(graph) = compiled.and_then(|compiled| compiled.graph) else { return out };
    out.is_sound = true;
    for (_, resource) in graph.resources().filter(|(_, resource)| !resource.is_virtual) {
        let name = match resource.containment {
            Containment::Leaf => continue,
            Containment::Define => resource.id.kind.to_lowercase(),
            Containment::Class | Containment::ClassResource => resource.id.title.to_lowercase(),
        };
        out.definitions.insert(name);
    }
    out.keys = used.keys().into_iter().map(|(file, key)| (absolute(&file), key)).collect();
    out
}
