//! A repository whose nodes are compiled on demand, at any of its revisions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ordain_data::Value as Data;
use ordain_driver::puppet::shared::{NodeCatalog, NodeRequest, SharedEnvironment, puppet_message};
use ordain_driver::{Commit, LoggedCommit, Options, Purpose, SourceKind, compile};
use ordain_graph::Graph;
use ordain_graph::exports::Exports;
use ordain_puppet::eval::STACK_SIZE;
use ordain_source::budget::Watch;
use ordain_source::limits::on_deep_stack;
use ordain_source::{SourceMap, World, suggest};
use rayon::prelude::*;

use crate::error::FleetError;
use crate::exports::{ExportPool, TrackedExports};
use crate::filter::NodeFilter;
use crate::nodes::FleetNode;
use crate::recent::Recent;
use crate::result::FleetDiff;
use crate::revision::{Range, Side as SideName, SideSources, repository};
use crate::run::{BATCH, ENVIRONMENT, Request, diff, threads};
use crate::side::{Failure, FirstError};

/// The number of graphs that stay in memory.
const GRAPHS: usize = 8;
/// The number of open revisions.
const ENVIRONMENTS: usize = 3;
/// The number of comparisons that stay in memory.
const DIFFS: usize = 4;
/// The time after which the work tree is read again.
const FRESH: Duration = Duration::from_secs(3);
/// A result of the work tree stays for this many times the time that it took.
const FRESH_SHARE: u32 = 10;
/// The maximum number of nodes that are compiled for the resources that they export.
const MAX_EXPORTING: usize = 2_000;
/// The number of commits in [`Repository::commits`].
const COMMITS: usize = 100;

/// A repository with the nodes that it is compiled for.
pub struct Repository {
    path: PathBuf,
    options: Options,
    nodes: Vec<FleetNode>,
    kind: SourceKind,
    /// The directory of the cache of comparisons.
    cache: Option<PathBuf>,
    environments: Recent<Option<String>, OpenedRevision>,
    graphs: Recent<(Option<String>, String), NodeGraph>,
    diffs: Recent<DiffKey, FleetDiff>,
}

/// Both revisions, and the resources of which nodes need one.
type DiffKey = ([Option<String>; 2], Vec<String>);

/// The graph of a node at a revision.
pub struct NodeGraph {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The facts of the node; a map. Empty if the graph depends on those of this machine, or on none.
    pub facts: Data,
    /// The warnings of the compile.
    pub warnings: Vec<String>,
    texts: Texts,
    world: Arc<dyn World>,
}

/// The code of Puppet at a revision, open for compiles.
struct OpenedRevision {
    environment: SharedEnvironment,
    world: Arc<dyn World>,
    /// The exported resources of its nodes, after a node has asked for some.
    exports: Mutex<Option<CollectedExports>>,
}

/// The exported resources of all nodes of a revision.
#[derive(Clone)]
struct CollectedExports {
    pool: Arc<ExportPool>,
    /// The reason why some are missing.
    warning: Option<String>,
}

/// The source texts of a graph.
enum Texts {
    OfRevision(Arc<OpenedRevision>),
    Own(Arc<SourceMap>),
}

impl NodeGraph {
    /// The source texts that origins of the graph refer to.
    pub fn sources(&self) -> &SourceMap {
        match &self.texts {
            Texts::OfRevision(opened) => opened.environment.sources(),
            Texts::Own(sources) => sources,
        }
    }

    /// The text of a file at the revision of the graph.
    pub fn read(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.world.read(path).ok()?).ok()
    }
}

impl Repository {
    /// A repository of any language at a path. Without nodes, and in other languages than Puppet, it
    /// has one graph. `cache` is the directory of the cache of comparisons, if one is used.
    pub fn new(
        path: &Path,
        nodes: Vec<FleetNode>,
        options: &Options,
        cache: Option<PathBuf>,
    ) -> Self {
        let options = Options { has_history: true, states: None, ..options.clone() };
        let kind = SourceKind::of(path, &options);
        let nodes = if kind == SourceKind::Puppet { nodes } else { Vec::new() };
        Self {
            path: path.to_owned(),
            options,
            nodes,
            kind,
            cache,
            environments: Recent::new(ENVIRONMENTS),
            graphs: Recent::new(GRAPHS),
            diffs: Recent::new(DIFFS),
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the language, or of the kind of document.
    pub fn language(&self) -> &'static str {
        match self.kind {
            SourceKind::Project(_) => "several sources",
            SourceKind::Plan => "a saved plan",
            SourceKind::Mcl => "mcl",
            SourceKind::Inmanta => "Inmanta",
            SourceKind::Dynaml => "dynaml",
            SourceKind::Json => "a graph or catalog",
            SourceKind::StandardInput | SourceKind::Puppet => "Puppet",
        }
    }

    /// The names of the nodes. Sources without nodes have one, that of the path.
    pub fn names(&self) -> Vec<String> {
        match &self.nodes[..] {
            [] => vec![self.single_name()],
            nodes => nodes.iter().map(|node| node.name.clone()).collect(),
        }
    }

    fn single_name(&self) -> String {
        let path = ordain_source::layer::absolute(&self.path);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.options.node.clone().or(name).unwrap_or_else(|| "sources".to_owned())
    }

    /// The facts of a node.
    ///
    /// # Errors
    /// When there is no such node, or its facts cannot be read.
    pub fn facts(&self, name: &str) -> Result<Data, FleetError> {
        match self.node(name)? {
            Some(node) => Ok(node.parse()?.facts),
            None => Ok(Data::map::<&str>([])),
        }
    }

    /// The node with a name. `None` if it is the only one of sources without nodes.
    fn node(&self, name: &str) -> Result<Option<&FleetNode>, FleetError> {
        if self.nodes.is_empty() && name == self.single_name() {
            return Ok(None);
        }
        let found = self.nodes.iter().find(|node| node.name == name);
        found.map(Some).ok_or_else(|| {
            let names = self.nodes.iter().map(|node| node.name.as_str());
            let near = suggest::nearest(name, names).map(str::to_owned);
            FleetError::UnknownNode { name: name.to_owned(), near }
        })
    }

    /// The last commits that touch the repository, the newest first.
    pub fn commits(&self) -> Vec<LoggedCommit> {
        Commit::log(repository(&self.path), COMMITS)
    }

    /// The id of the commit that a revision names. A name that is no commit is never read as the
    /// path of a directory.
    fn commit(&self, revision: Option<&str>) -> Result<Option<String>, FleetError> {
        let Some(name) = revision else { return Ok(None) };
        Ok(Some(Commit::find(repository(&self.path), name)?.1))
    }

    /// The graph of a node at a revision, or in the work tree. Recent graphs are reused; those of the
    /// work tree for some seconds.
    ///
    /// # Errors
    /// When there is no such node or revision, or the compile fails.
    pub fn graph(&self, name: &str, revision: Option<&str>) -> Result<Arc<NodeGraph>, FleetError> {
        let key = (self.commit(revision)?, name.to_owned());
        if let Some(known) = self.graphs.get(&key) {
            return Ok(known);
        }
        let begin = Instant::now();
        let commit = key.0.as_deref();
        let graph = match self.node(name)? {
            Some(node) => self.graph_of_node(node, commit)?,
            None => self.single_graph(commit)?,
        };
        let (graph, until) = (Arc::new(graph), fresh_until(&key.0, begin));
        self.graphs.add(key, Arc::clone(&graph), until);
        Ok(graph)
    }

    fn options(&self, commit: Option<&str>) -> Result<Options, FleetError> {
        let sources = SideSources::at_commit(&self.path, commit)?;
        Ok(Options { layer: sources.layer, ..self.options.clone() })
    }

    fn environment(&self, commit: Option<&str>) -> Result<Arc<OpenedRevision>, FleetError> {
        let key = commit.map(str::to_owned);
        if let Some(known) = self.environments.get(&key) {
            return Ok(known);
        }
        let begin = Instant::now();
        let texts = Some(Arc::new(SourceMap::with_parse_cache()));
        let options = Options { texts, ..self.options(commit)? };
        let _watch = Watch::begin();
        let mut reporter = FirstError::default();
        let opened = SharedEnvironment::open(&mut reporter, &self.path, &options);
        let environment = opened.map_err(|error| refused(reporter.failure(error)))?;
        let world = options.untracked_world();
        let opened = Arc::new(OpenedRevision { environment, world, exports: Mutex::default() });
        let until = fresh_until(&key, begin);
        self.environments.add(key, Arc::clone(&opened), until);
        Ok(opened)
    }

    fn graph_of_node(
        &self,
        node: &FleetNode,
        commit: Option<&str>,
    ) -> Result<NodeGraph, FleetError> {
        let opened = self.environment(commit)?;
        let facts = node.parse()?;
        let request = facts.request(&node.name, self.environment_name());
        let (found, warning) = self.compile_with_exports(&opened, &request)?;
        let NodeCatalog { graph, diagnostics, .. } = found;
        let sources = opened.environment.sources();
        let Some(graph) = graph else {
            let failure = Failure::of(&diagnostics, sources);
            return Err(failure.map_or_else(|| FleetError::Compile(FAILED.to_owned()), refused));
        };
        let warnings = diagnostics.iter().map(|one| puppet_message(one, sources));
        let warnings = warnings.chain(warning).collect();
        Ok(NodeGraph {
            graph: Arc::new(graph),
            facts: facts.facts,
            warnings,
            world: Arc::clone(&opened.world),
            texts: Texts::OfRevision(opened),
        })
    }

    fn environment_name(&self) -> &str {
        self.options.environment.as_deref().unwrap_or(ENVIRONMENT)
    }

    /// Compiles a node with the exported resources of the others. These are compiled only if the node
    /// asks for such resources, once for all nodes of a revision. The second result is the reason why
    /// some are missing.
    fn compile_with_exports(
        &self,
        opened: &OpenedRevision,
        request: &NodeRequest,
    ) -> Result<(NodeCatalog, Option<String>), FleetError> {
        let compile = |pool: Option<Arc<ExportPool>>| {
            let exports = Arc::new(TrackedExports::new(pool));
            let shared = Some(Arc::clone(&exports) as Arc<dyn Exports>);
            let request = NodeRequest { exports: shared, ..request.clone() };
            let found = on_deep_stack(STACK_SIZE, || opened.environment.compile(request));
            (found, exports.is_asked())
        };
        let known = opened.exports.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_known = known.is_some();
        let (found, is_asked) = compile(known.as_ref().map(|known| Arc::clone(&known.pool)));
        if !is_asked {
            return Ok((found, None));
        }
        if is_known {
            return Ok((found, known.and_then(|known| known.warning)));
        }
        let collected = self.collect_exports(opened)?;
        let (found, _) = compile(Some(collected.pool));
        Ok((found, collected.warning))
    }

    /// The resources that the nodes export at a revision. One thread at a time compiles them.
    fn collect_exports(&self, opened: &OpenedRevision) -> Result<CollectedExports, FleetError> {
        let mut known = opened.exports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let pool = Arc::new(ExportPool::default());
        let mut failed: Vec<&str> = Vec::new();
        let warning = if self.nodes.len() > MAX_EXPORTING {
            Some(format!(
                "exported resources are not collected: there are {} nodes, more than \
                 {MAX_EXPORTING}; `ordain fleet diff` collects them",
                self.nodes.len()
            ))
        } else {
            let threads = threads(None, self.nodes.len())?;
            let compile = |node: &'_ FleetNode| {
                let Ok(facts) = node.parse() else { return false };
                let _watch = Watch::begin();
                let request = facts.request(&node.name, self.environment_name());
                let exports = Some(Arc::new(TrackedExports::default()) as Arc<dyn Exports>);
                let found = opened.environment.compile(NodeRequest { exports, ..request });
                pool.add(&found.exported);
                found.graph.is_some()
            };
            for batch in self.nodes.chunks(BATCH) {
                let done: Vec<bool> = threads.install(|| batch.par_iter().map(compile).collect());
                let of = batch.iter().zip(done).filter(|(_, is_done)| !is_done);
                failed.extend(of.map(|(node, _)| node.name.as_str()));
            }
            missing_exports(&failed)
        };
        pool.sort();
        let collected = CollectedExports { pool, warning };
        *known = Some(collected.clone());
        Ok(collected)
    }

    fn single_graph(&self, commit: Option<&str>) -> Result<NodeGraph, FleetError> {
        let options = self.options(commit)?;
        let _watch = Watch::begin();
        let mut reporter = FirstError::default();
        let compiled = compile(&mut reporter, &self.path, &options, Purpose::Inspection);
        let compiled = compiled.map_err(|error| refused(reporter.failure(error)))?;
        Ok(NodeGraph {
            graph: compiled.graph,
            facts: Data::map::<&str>([]),
            warnings: Vec::new(),
            texts: Texts::Own(compiled.sources),
            world: options.untracked_world(),
        })
    }

    /// The names of the nodes that a filter chooses. Sources without nodes have one, which no filter
    /// leaves out.
    pub fn chosen_names(&self, filter: &NodeFilter) -> BTreeSet<String> {
        match &self.nodes[..] {
            [] => self.names().into_iter().collect(),
            nodes => {
                let chosen = nodes.iter().filter(|node| filter.has(node));
                chosen.map(|node| node.name.clone()).collect()
            }
        }
    }

    /// The changes between two revisions on all nodes, or on those that have one of the resources
    /// `having` on either side; `None` is the work tree. Recent comparisons are reused.
    ///
    /// # Errors
    /// When there is no such revision, or the nodes cannot be compared.
    pub fn diff(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        having: &[String],
    ) -> Result<Arc<FleetDiff>, FleetError> {
        let key = ([self.commit(before)?, self.commit(after)?], having.to_vec());
        if let Some(known) = self.diffs.get(&key) {
            return Ok(known);
        }
        let begin = Instant::now();
        let mut found = match self.kind == SourceKind::Puppet && self.nodes.is_empty() {
            true => self.single_diff(&key.0)?,
            false => self.node_diff(&key)?,
        };
        for (name, side) in [(before, &mut found.before), (after, &mut found.after)] {
            *side = name.map_or_else(|| side.clone(), str::to_owned);
        }
        let is_fixed = key.0.iter().all(Option::is_some);
        let until = (!is_fixed).then(|| fresh_from(begin));
        let found = Arc::new(found);
        self.diffs.add(key, Arc::clone(&found), until);
        Ok(found)
    }

    /// The changes of manifests for this machine.
    fn single_diff(&self, commits: &[Option<String>; 2]) -> Result<FleetDiff, FleetError> {
        let name = self.single_name();
        let graph = |commit: &Option<String>| self.graph(&name, commit.as_deref());
        let (before, after) = (graph(&commits[0])?, graph(&commits[1])?);
        let label =
            |commit: &Option<String>| commit.clone().unwrap_or_else(|| WORK_TREE.to_owned());
        let (old, new) = (label(&commits[0]), label(&commits[1]));
        Ok(FleetDiff::of_graphs((&old, &before.graph), (&new, &after.graph)))
    }

    fn node_diff(&self, (commits, having): &DiffKey) -> Result<FleetDiff, FleetError> {
        let side = |commit: &Option<String>| {
            commit.as_ref().map_or(SideName::WorkTree, |id| SideName::Revision(id.clone()))
        };
        let range = Range { before: side(&commits[0]), after: side(&commits[1]) };
        diff(&Request {
            cache: self.cache.as_deref(),
            having,
            ..Request::new(&self.path, &range, &self.nodes, &self.options)
        })
    }
}

/// The warning that the exported resources of some nodes are missing.
fn missing_exports(failed: &[&str]) -> Option<String> {
    let names = match failed {
        [] => return None,
        [one] => (*one).to_owned(),
        [one, rest @ ..] => format!("{one} and {} more", rest.len()),
    };
    Some(format!("exported resources of {names} are missing: they do not compile"))
}

/// The name of the side that is no commit.
const WORK_TREE: &str = "the work tree";

/// The error of a compile without a message.
const FAILED: &str = "the compile failed";

fn refused(failure: Failure) -> FleetError {
    FleetError::Compile(match failure.place {
        Some(place) => format!("{} at {place}", failure.message),
        None => failure.message,
    })
}

/// The time until which a result of a commit or of the work tree is current.
fn fresh_until(commit: &Option<String>, begin: Instant) -> Option<Instant> {
    commit.is_none().then(|| fresh_from(begin))
}

/// The time until which a result of the work tree, whose computation began at a time, is shown.
fn fresh_from(begin: Instant) -> Instant {
    let now = Instant::now();
    now + FRESH.max((now - begin) * FRESH_SHARE)
}
