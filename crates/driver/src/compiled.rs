//! The result of a compile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_engine::deferred::Deferred;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::prepare::ResolveSource;
use ordain_engine::reversal::ReversalNotes;
use ordain_engine::saved::SavedPlan;
use ordain_graph::join::Conflict;
use ordain_graph::{Containment, Graph, Resource};
use ordain_source::{Diagnostic, SourceMap};

use crate::codes;
use crate::deferred::{self, DeferredCalls};
use crate::exports::PendingExports;
use crate::handler_kinds::HandlerKinds;
use crate::module_kinds::ModuleKinds;

/// A graph with everything that a run needs to use it.
#[derive(Clone)]
pub struct Compiled {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The source texts that its origins refer to.
    pub sources: Arc<SourceMap>,
    /// The saved plan that contained the graph.
    pub plan: Option<Arc<SavedPlan>>,
    /// The directories of modules, for `puppet:///modules/` addresses.
    pub(crate) modules: Arc<Modules>,
    /// The exported resources of the node, if it was compiled.
    pub exports: Option<PendingExports>,
    /// The evaluator of the graph's deferred values during a run.
    pub(crate) deferred: Vec<Arc<DeferredCalls>>,
    /// The kinds of the graph that modules implement, of each source that has any.
    pub(crate) module_kinds: Vec<Arc<ModuleKinds>>,
    /// The kinds of the graph that handlers of models deploy, of each source that has any.
    pub(crate) handler_kinds: Vec<Arc<HandlerKinds>>,
    /// The files and directories that the compile read or looked for, sorted. The graph may change
    /// only if one of them does.
    pub inputs: Vec<PathBuf>,
    /// The duration of the compile.
    pub took: Duration,
}

/// The directories of modules.
pub(crate) enum Modules {
    /// The directory of each module.
    ByName(BTreeMap<String, PathBuf>),
    /// Directories that hold modules; the first that has a file wins.
    Below(Vec<PathBuf>),
    /// Files by address, which a server has.
    ByAddress(BTreeMap<String, PathBuf>),
    /// The modules of several sources; the first that has a file wins.
    Several(Vec<Arc<Modules>>),
}

impl Compiled {
    /// A graph without modules and exported resources.
    pub fn of_graph(graph: Graph, sources: Arc<SourceMap>) -> Self {
        let modules = Arc::new(Modules::Below(Vec::new()));
        Self {
            graph: Arc::new(graph),
            sources,
            plan: None,
            modules,
            exports: None,
            deferred: Vec::new(),
            module_kinds: Vec::new(),
            handler_kinds: Vec::new(),
            inputs: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Whether handlers of modules deploy some of the resources.
    pub fn has_handlers(&self) -> bool {
        !self.handler_kinds.is_empty()
    }

    /// The directories of modules by name, if they are known.
    pub fn module_dirs(&self) -> BTreeMap<String, PathBuf> {
        let Modules::ByName(dirs) = &*self.modules else { return BTreeMap::new() };
        let full = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        dirs.iter().map(|(name, dir)| (name.clone(), full(dir))).collect()
    }

    /// The directories of all modules by name, also of those below the directories of a module path.
    pub(crate) fn all_module_dirs(&self) -> BTreeMap<String, PathBuf> {
        let Modules::Below(dirs) = &*self.modules else { return self.module_dirs() };
        let mut found = BTreeMap::new();
        for dir in dirs {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                if let Some(name) = name.to_str().filter(|_| path.is_dir()) {
                    let path = std::path::absolute(&path).unwrap_or(path);
                    found.entry(name.to_string()).or_insert(path);
                }
            }
        }
        found
    }

    /// The evaluator of the graph's deferred values during a run, if it has any.
    pub fn deferred_calls(&self) -> Option<Arc<dyn Deferred>> {
        deferred::of(&self.deferred)
    }

    /// The module path of a saved plan: the parents of its module directories.
    pub(crate) fn module_path(&self) -> Option<String> {
        let dirs = self.module_dirs();
        let mut parents: Vec<_> = dirs.values().filter_map(|dir| dir.parent()).collect();
        parents.sort();
        parents.dedup();
        let parents: Vec<_> = parents.iter().map(|dir| dir.display().to_string()).collect();
        (!parents.is_empty()).then(|| parents.join(":"))
    }

    /// Joins another result into this one. Returns the resources that both declare.
    pub fn join(&mut self, other: Self) -> Vec<Conflict> {
        let conflicts = Arc::make_mut(&mut self.graph).join(Arc::unwrap_or_clone(other.graph));
        self.deferred.extend(other.deferred);
        self.module_kinds.extend(other.module_kinds);
        self.handler_kinds.extend(other.handler_kinds);
        let modules = vec![Arc::clone(&self.modules), other.modules];
        self.modules = Arc::new(Modules::Several(modules));
        self.exports = match (self.exports.take(), other.exports) {
            (Some(one), Some(two)) => Some(one.with(two)),
            (one, two) => one.or(two),
        };
        conflicts
    }

    /// Adds the recorded undo of each resource that is no longer declared. Returns the records on
    /// the machine.
    ///
    /// # Errors
    /// When a record is corrupt.
    pub fn undo_missing(
        &mut self,
        host: &Host,
        registry: &Registry,
    ) -> Result<ReversalNotes, Diagnostic> {
        let noted = ReversalNotes::read(host).map_err(codes::note)?;
        // A plan is applied as it was made.
        if self.plan.is_none() && noted.adds_to(&self.graph, registry) {
            noted.add_to(Arc::make_mut(&mut self.graph), registry);
        }
        Ok(noted)
    }

    /// The number of resources that a run examines.
    pub fn leaves(&self) -> usize {
        let leaf = |r: &Resource| {
            r.containment == Containment::Leaf && !r.is_virtual && r.id.kind != "Stage"
        };
        self.graph.resources().filter(|(_, r)| leaf(r)).count()
    }

    /// Returns a resolver of `puppet:///modules/NAME/REST` to a file.
    pub fn resolver(&self) -> ResolveSource {
        let modules = Arc::clone(&self.modules);
        Arc::new(move |address| modules.resolve(address))
    }
}

/// The place of an address, or of a file below one.
fn by_address(places: &BTreeMap<String, PathBuf>, address: &str) -> Option<PathBuf> {
    let (_, path) = address.strip_prefix("puppet://")?.split_once('/')?;
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    let (mut above, mut below) = (path.trim_end_matches('/'), "");
    loop {
        if let Some(place) = places.get(&format!("puppet:///{above}")) {
            return Some(if below.is_empty() { place.clone() } else { place.join(below) });
        }
        above = above.rsplit_once('/')?.0;
        below = path.get(above.len() + 1..)?;
    }
}

impl Modules {
    fn resolve(&self, address: &str) -> Option<PathBuf> {
        if let Self::ByAddress(places) = self {
            return by_address(places, address);
        }
        let rest = address.strip_prefix("puppet:///modules/").or_else(|| {
            let (_, path) = address.strip_prefix("puppet://")?.split_once('/')?;
            path.strip_prefix("modules/")
        })?;
        let (name, rest) = rest.split_once('/')?;
        if rest.split('/').any(|part| part == "..") {
            return None;
        }
        let in_module = |dir: &Path| dir.join("files").join(rest);
        match self {
            Self::ByAddress(_) => None,
            Self::Several(all) => all.iter().find_map(|modules| modules.resolve(address)),
            Modules::ByName(dirs) => dirs.get(name).map(|dir| in_module(dir)),
            Modules::Below(dirs) => {
                let mut found = dirs.iter().map(|dir| in_module(&dir.join(name)));
                found.find(|path| path.exists())
            }
        }
    }
}
