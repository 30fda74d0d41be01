//! The result of a compile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_engine::deferred::Deferred;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::prepare::Resolve;
use ordain_engine::reversal::ReversalNotes;
use ordain_engine::saved::SavedPlan;
use ordain_graph::join::Conflict;
use ordain_graph::{Containment, Graph, Resource};
use ordain_source::{Diagnostic, SourceMap};

use crate::codes;
use crate::deferred::{self, DeferredCalls};
use crate::exports::PendingExports;

/// A graph with what is needed to use it.
#[derive(Clone)]
pub struct Compiled {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The texts that its origins are in.
    pub sources: Arc<SourceMap>,
    /// The plan that the graph was kept with.
    pub plan: Option<Arc<SavedPlan>>,
    /// Where the files of modules are.
    pub(crate) modules: Arc<Modules>,
    /// The exported resources of the node, if it was compiled.
    pub exports: Option<PendingExports>,
    /// The evaluator of the graph's deferred values during a run.
    pub(crate) deferred: Vec<Arc<DeferredCalls>>,
    /// The files and directories that were read or looked for, sorted. A change of one of them may
    /// change the graph.
    pub inputs: Vec<PathBuf>,
    /// How long the compile took.
    pub took: Duration,
}

/// Where modules are.
pub(crate) enum Modules {
    /// The directory of each module.
    ByName(BTreeMap<String, PathBuf>),
    /// Directories that hold modules; the first that has a file counts.
    Below(Vec<PathBuf>),
    /// Of several sources; the first that has a file counts.
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
            inputs: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// The directories of modules by name, where these are known.
    pub fn module_dirs(&self) -> BTreeMap<String, PathBuf> {
        let Modules::ByName(dirs) = &*self.modules else { return BTreeMap::new() };
        let full = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        dirs.iter().map(|(name, dir)| (name.clone(), full(dir))).collect()
    }

    /// The evaluator of the graph's deferred values during a run, if it has any.
    pub fn deferred_calls(&self) -> Option<Arc<dyn Deferred>> {
        deferred::of(&self.deferred)
    }

    /// The directories that modules of a saved plan are in, as a module path.
    pub(crate) fn module_path(&self) -> Option<String> {
        let dirs = self.module_dirs();
        let mut parents: Vec<_> = dirs.values().filter_map(|dir| dir.parent()).collect();
        parents.sort();
        parents.dedup();
        let parents: Vec<_> = parents.iter().map(|dir| dir.display().to_string()).collect();
        (!parents.is_empty()).then(|| parents.join(":"))
    }

    /// This with all that another has, and the resources that both declare.
    pub fn join(&mut self, other: Self) -> Vec<Conflict> {
        let conflicts = Arc::make_mut(&mut self.graph).join(Arc::unwrap_or_clone(other.graph));
        self.deferred.extend(other.deferred);
        let modules = vec![Arc::clone(&self.modules), other.modules];
        self.modules = Arc::new(Modules::Several(modules));
        self.exports = match (self.exports.take(), other.exports) {
            (Some(one), Some(two)) => Some(one.with(two)),
            (one, two) => one.or(two),
        };
        conflicts
    }

    /// Adds what undoes resources that were to be undone once nobody declares them any more. Gives
    /// what the machine has noted of them.
    ///
    /// # Errors
    /// When a note is spoiled.
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

    /// How many resources a run looks at.
    pub fn leaves(&self) -> usize {
        let leaf = |r: &Resource| {
            r.containment == Containment::Leaf && !r.is_virtual && r.id.kind != "Stage"
        };
        self.graph.resources().filter(|(_, r)| leaf(r)).count()
    }

    /// Finds files behind `puppet:///modules/NAME/REST`.
    pub fn resolver(&self) -> Resolve {
        let modules = Arc::clone(&self.modules);
        Arc::new(move |address| modules.resolve(address))
    }
}

impl Modules {
    fn resolve(&self, address: &str) -> Option<PathBuf> {
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
            Self::Several(all) => all.iter().find_map(|modules| modules.resolve(address)),
            Modules::ByName(dirs) => dirs.get(name).map(|dir| in_module(dir)),
            Modules::Below(dirs) => {
                let mut found = dirs.iter().map(|dir| in_module(&dir.join(name)));
                found.find(|path| path.exists())
            }
        }
    }
}
