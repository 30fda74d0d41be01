//! Compiles all nodes on both sides and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;

use ordain_driver::inputs::CompileRecord;
use ordain_driver::puppet::shared::NodeCatalog;
use ordain_driver::{Options, Purpose, SourceKind, compile};
use ordain_graph::{Graph, Resource};
use ordain_puppet::eval::STACK_SIZE;
use ordain_source::SourceMap;
use ordain_source::budget::Watch;
use ordain_source::layer::absolute;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::cache::{Cache, Known, Learned, LearnedNode};
use crate::cause::{Causes, Compiled, Lines};
use crate::change::Change;
use crate::collect::Collector;
use crate::compare::{Found, SourceFiles, addresses, compare, cycles};
use crate::error::FleetError;
use crate::nodes::FleetNode;
use crate::result::{FleetDiff, NodeDiff};
use crate::revision::{Range, SideSources, Sources};
use crate::side::{Failed, Failure, FirstError, Side};

/// The name of the environment, if the options have none.
pub(crate) const ENVIRONMENT: &str = "production";

/// The number of nodes that are compiled before the budget of memory begins anew.
pub(crate) const BATCH: usize = 128;

/// The note that some nodes run programs.
pub(crate) const PROGRAMS_NOTE: &str = "some nodes run programs, such as ruby or generate(), which \
                                        see the files of the work tree on both sides";

/// The sources and the nodes of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// A directory of a repository, or a file in it. It is compiled on each side, unless both sides
    /// are directories.
    pub path: &'a Path,
    /// Both sides.
    pub range: &'a Range,
    /// The nodes. Sources of other languages than Puppet have none.
    pub nodes: &'a [FleetNode],
    /// The options of compiles.
    pub options: &'a Options,
    /// The number of nodes that are compiled at a time, by default one per processor.
    pub jobs: Option<NonZeroUsize>,
    /// Resources, such as `Class[ntp]`: only nodes that have one of them on either side are in the
    /// result. None chooses all nodes. Such a comparison does not read the cache.
    pub having: &'a [String],
    /// Whether only one node of each node block is compared, the first by name. Nodes that match
    /// other blocks on the other side count as another block.
    pub one_per_node_block: bool,
    /// Tags of octocatalog-diff: changes of resources with such a tag are ignored. `TAG__file` is the
    /// tag `TAG` for files only. The side after decides, if it has the resource.
    pub ignore_tags: &'a [String],
    /// The directory of the cache, if one is used. Its files are readable by their owner only.
    pub cache: Option<&'a Path>,
}

impl<'a> Request<'a> {
    /// A comparison of all changes of all nodes, without a cache.
    pub fn new(
        path: &'a Path,
        range: &'a Range,
        nodes: &'a [FleetNode],
        options: &'a Options,
    ) -> Self {
        Self {
            path,
            range,
            nodes,
            options,
            jobs: None,
            having: &[],
            one_per_node_block: false,
            ignore_tags: &[],
            cache: None,
        }
    }
}

/// Compiles all nodes on both sides and finds their changes. A node whose inputs are the same on both
/// sides is compiled once.
///
/// # Errors
/// When a side does not exist, or there are no nodes. Errors of the sources are changes of nodes.
pub fn diff(request: &Request<'_>) -> Result<FleetDiff, FleetError> {
    let sources = Sources::open(request.range, request.path)?;
    let layered =
        |side: &SideSources| Options { layer: side.layer.clone(), ..request.options.clone() };
    let (before, after) = (layered(&sources.before), layered(&sources.after));
    let kinds = [&before, &after].map(|options| SourceKind::of(&sources.path, options));
    let (before_world, after_world) = (before.untracked_world(), after.untracked_world());
    let lines = Lines::new(&sources.path, before_world.as_ref(), after_world.as_ref());
    let mut found = FleetDiff {
        before: sources.before.label.clone(),
        after: sources.after.label.clone(),
        ..FleetDiff::default()
    };
    if kinds.iter().any(|kind| *kind != SourceKind::Puppet) {
        single(&sources.path, [&before, &after], &lines, &mut found);
        return Ok(found);
    }
    if request.nodes.is_empty() {
        return Err(FleetError::NoNodes("the sources of facts".to_owned()));
    }
    let (before, after) = (
        Side::open(&sources.path, &sources.before, request.options),
        Side::open(&sources.path, &sources.after, request.options),
    );
    let first_of_blocks;
    let mut request = *request;
    if request.one_per_node_block {
        first_of_blocks = one_per_node_block(request.nodes, [&before, &after]);
        request.nodes = &first_of_blocks;
    }
    let cache = match (request.cache, &before.environment, &after.environment) {
        (Some(dir), Ok(before), Ok(after)) => {
            Cache::open(dir, &cache_key(&sources.path, &request), before, after)
        }
        _ => None,
    };
    let sides = Sides {
        having: request.having,
        ignore_tags: request.ignore_tags,
        before,
        after,
        cache,
        environment: request.options.environment.as_deref().unwrap_or(ENVIRONMENT),
        lines: &lines,
        collector: Collector::default(),
    };
    let learned = sides.run(&request, &mut found)?;
    let (changes, digests) = sides.collector.finish();
    found.changes = changes;
    if let Some(cache) = sides.cache
        && let Err(error) = cache.save(learned, &found.changes, &digests)
    {
        found.notes.push(format!("the cache cannot be written: {error}"));
    }
    Ok(found)
}

/// Everything besides files and nodes that compiles depend on.
fn cache_key(path: &Path, request: &Request<'_>) -> String {
    let options = request.options;
    // Another build may compile differently.
    let program = std::env::current_exe().and_then(std::fs::metadata);
    let program = program.map(|found| (found.len(), found.modified().ok()));
    format!(
        "{} {:?} {:?} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        program.ok(),
        absolute(path),
        request.ignore_tags,
        (
            &options.environment,
            &options.modulepath,
            &options.hiera,
            options.strict,
            options.strict_variables,
            options.legacy_facts,
        )
    )
}

/// Both sides, open.
pub(crate) struct Sides<'a> {
    pub(crate) having: &'a [String],
    pub(crate) ignore_tags: &'a [String],
    pub(crate) before: Side,
    pub(crate) after: Side,
    pub(crate) cache: Option<Cache>,
    pub(crate) environment: &'a str,
    pub(crate) lines: &'a Lines<'a>,
    pub(crate) collector: Collector,
}

/// The result of a node so far.
#[derive(Default)]
pub(crate) struct NodeWork {
    pub(crate) changes: Vec<u32>,
    pub(crate) compiles: usize,
    /// Whether the node has none of the wanted resources.
    pub(crate) is_excluded: bool,
    /// Whether the node collects exported resources, which are known when all nodes are compiled.
    pub(crate) reads_exports: bool,
    /// Whether a compile failed for a budget, which another node may have exceeded.
    has_exceeded_budget: bool,
    /// The remark about programs that see the work tree only.
    pub(crate) runs_programs: bool,
    /// The compiles whose inputs are known: of both sides, or one for both.
    learned: Vec<Learned>,
    /// The changes of the graphs.
    of_graphs: Vec<u32>,
}

impl Sides<'_> {
    /// Fills the nodes of the result. Returns what the cache can learn of them.
    fn run<'n>(
        &self,
        request: &Request<'n>,
        found: &mut FleetDiff,
    ) -> Result<Vec<LearnedNode<'n>>, FleetError> {
        let pool = threads(request.jobs, request.nodes.len())?;
        let files = self.files();
        let one = |node: &FleetNode| self.node(node, files.as_ref(), true);
        let nodes = request.nodes;
        let mut works: Vec<NodeWork> = Vec::with_capacity(nodes.len());
        // Between batches no compile runs, so the memory of earlier results leaves the budget.
        for batch in nodes.chunks(BATCH) {
            works.extend(pool.install(|| batch.par_iter().map(one).collect::<Vec<_>>()));
        }
        self.before.exports.sort();
        self.after.exports.sort();
        let has_exports = !self.before.exports.is_empty() || !self.after.exports.is_empty();
        let again: Vec<usize> =
            (0..works.len()).filter(|at| works[*at].reads_exports && has_exports).collect();
        let second = |at: &usize| self.node(&nodes[*at], files.as_ref(), false);
        let repeated: Vec<NodeWork> = pool.install(|| again.par_iter().map(second).collect());
        for (at, work) in again.into_iter().zip(repeated) {
            works[at] = NodeWork { compiles: works[at].compiles + work.compiles, ..work };
        }
        self.repeat_alone(&pool, nodes, &mut works, files.as_ref());
        if works.iter().any(|work| work.runs_programs) {
            found.notes.push(PROGRAMS_NOTE.to_owned());
        }
        found.compiles = works.iter().map(|work| work.compiles).sum();
        let mut learned = Vec::new();
        for (node, work) in nodes.iter().zip(works) {
            if !work.is_excluded {
                found.nodes.push(NodeDiff { name: node.name.clone(), changes: work.changes });
            }
            if !work.learned.is_empty() {
                learned.push((node, work.learned, work.of_graphs));
            }
        }
        Ok(learned)
    }

    /// Compiles and compares the nodes of a batch.
    pub(crate) fn batch(
        &self,
        pool: &ThreadPool,
        nodes: &[FleetNode],
        files: Option<&SourceFiles<'_>>,
        is_first: bool,
    ) -> Vec<NodeWork> {
        let one = |node: &FleetNode| self.node(node, files, is_first);
        let mut works: Vec<NodeWork> = pool.install(|| nodes.par_iter().map(one).collect());
        self.repeat_alone(pool, nodes, &mut works, files);
        works
    }

    /// The files of both sides, unless one cannot be opened.
    pub(crate) fn files(&self) -> Option<SourceFiles<'_>> {
        match (&self.before.environment, &self.after.environment) {
            (Ok(before), Ok(after)) => Some(SourceFiles::new(before, after)),
            _ => None,
        }
    }

    /// Compiles nodes again that exceeded a budget while others were compiled: a compile alone shows
    /// which node exceeds it.
    fn repeat_alone(
        &self,
        pool: &ThreadPool,
        nodes: &[FleetNode],
        works: &mut [NodeWork],
        files: Option<&SourceFiles<'_>>,
    ) {
        if pool.current_num_threads() > 1 {
            for (node, work) in nodes.iter().zip(works) {
                if work.has_exceeded_budget {
                    *work = pool.install(|| self.node(node, files, false));
                }
            }
        }
    }

    /// Compiles a node and compares its graphs. In the first round its exports are collected.
    fn node(&self, node: &FleetNode, files: Option<&SourceFiles<'_>>, is_first: bool) -> NodeWork {
        let mut work = NodeWork::default();
        // The cache does not know the resources of nodes.
        let cache = self.cache.as_ref().filter(|_| self.having.is_empty());
        if let Some(known) = cache.and_then(|cache| cache.find(node, self.environment)) {
            self.add_known(&known, files, &mut work);
            return work;
        }
        let facts = match node.parse() {
            Ok(facts) => facts,
            Err(error) => {
                let message = error.to_string();
                let failure = Failure { message, place: None };
                let both = [Some(failure.clone()), Some(failure)];
                self.add_failures(both, &mut work);
                return work;
            }
        };
        let request = facts.request(&node.name, self.environment);
        work.compiles += 1;
        let before = self.before.compile(request.clone());
        if let Ok(compiled) = &before {
            if is_first {
                self.before.export(&compiled.exported);
            }
            if self.is_same_after(compiled) {
                work.reads_exports = reads_exports(compiled);
                work.is_excluded = !self.is_wanted([Some(compiled), None]);
                if is_first {
                    self.after.export(&compiled.exported);
                }
                work.learned = self.learn(&[compiled]);
                let graph = compiled.graph.iter();
                let found = graph.flat_map(|graph| files_changed(graph, graph, files)).collect();
                self.add(found, None, &mut work);
                return work;
            }
        }
        work.compiles += 1;
        let after = self.after.compile(request);
        if let (true, Ok(compiled)) = (is_first, &after) {
            self.after.export(&compiled.exported);
        }
        self.compare(before, after, files, &mut work);
        work
    }

    /// Whether a node has one of the wanted resources on either side.
    fn is_wanted(&self, sides: [Option<&NodeCatalog>; 2]) -> bool {
        let mut graphs = sides.into_iter().flatten().filter_map(|side| side.graph.as_ref());
        let has = |graph: &Graph| {
            let found = self.having.iter().filter_map(|name| graph.find_text(name));
            found.into_iter().any(|id| !graph.resource(id).is_virtual)
        };
        self.having.is_empty() || graphs.any(has)
    }

    /// Whether the compile on the side after would have the same result.
    fn is_same_after(&self, before: &NodeCatalog) -> bool {
        let (Some(record), Ok(after)) = (&before.record, &self.after.environment) else {
            return false;
        };
        // Exported resources may differ between the sides in the second round.
        let is_alone = !record.reads_exports() || self.after.exports.is_empty();
        record.is_repeatable() && is_alone && after.code_difference(record).is_none()
    }

    fn compare(
        &self,
        before: Result<NodeCatalog, Failed>,
        after: Result<NodeCatalog, Failed>,
        files: Option<&SourceFiles<'_>>,
        work: &mut NodeWork,
    ) {
        let is_of_budget = |side: &Result<NodeCatalog, Failed>| {
            side.as_ref().is_err_and(|failed| failed.is_of_budget)
        };
        work.has_exceeded_budget = is_of_budget(&before) || is_of_budget(&after);
        for side in [&before, &after].into_iter().flatten() {
            work.reads_exports |= reads_exports(side);
            work.runs_programs |= runs_programs(side);
        }
        work.is_excluded = !self.is_wanted([before.as_ref().ok(), after.as_ref().ok()]);
        let (old, new) = match (&before, &after) {
            (Ok(old), Ok(new)) => (old, new),
            _ => {
                let failure = |side: Result<NodeCatalog, Failed>| side.err().map(|f| f.failure);
                self.add_failures([failure(before), failure(after)], work);
                return;
            }
        };
        let (Some(old_graph), Some(new_graph)) = (&old.graph, &new.graph) else { return };
        let mut found = compare(old_graph, new_graph);
        found.extend(cycles(old_graph, new_graph));
        self.remove_tagged(&mut found, old_graph, new_graph);
        let (Ok(before), Ok(after)) = (&self.before.environment, &self.after.environment) else {
            return;
        };
        let before = compiled(old_graph, before.sources(), old.record.as_ref());
        let after = compiled(new_graph, after.sources(), new.record.as_ref());
        self.add(found, Some(Causes::new(self.lines, before, after)), work);
        work.learned = self.learn(&[old, new]);
        work.of_graphs = work.changes.clone();
        let mut found = files_changed(old_graph, new_graph, files);
        self.remove_tagged(&mut found, old_graph, new_graph);
        self.add(found, None, work);
    }

    /// Removes changes of resources with a tag of [`Request::ignore_tags`].
    fn remove_tagged(&self, found: &mut Vec<Found>, before: &Graph, after: &Graph) {
        if self.ignore_tags.is_empty() {
            return;
        }
        found.retain(|found| {
            let Some(name) = found.change.resource() else { return true };
            let sides = [after, before].into_iter();
            let mut resources = sides.filter_map(|side| Some(side.resource(side.find_text(name)?)));
            !resources.next().is_some_and(|resource| is_tagged(resource, self.ignore_tags))
        });
    }

    /// The compiles for the cache; none if one of them cannot be repeated, or exports resources, which
    /// the cache does not have.
    fn learn(&self, compiles: &[&NodeCatalog]) -> Vec<Learned> {
        let Some(cache) = &self.cache else { return Vec::new() };
        let learned = compiles.iter().map(|compiled| {
            let graph = compiled.graph.as_ref().filter(|_| compiled.exported.is_empty())?;
            let record = cache.record(compiled.record.as_ref()?)?;
            Some(Learned { record, sources: addresses(graph) })
        });
        learned.collect::<Option<_>>().unwrap_or_default()
    }

    /// Adds the changes of a node that the cache knows.
    fn add_known(&self, known: &Known<'_>, files: Option<&SourceFiles<'_>>, work: &mut NodeWork) {
        let collected = known.changes.iter().map(|(digest, found)| {
            self.collector.add(*digest, found.change.clone(), Some(found.causes.clone()))
        });
        work.changes = collected.collect();
        let copied = known.sources.iter().copied();
        self.add(files_at(copied, files), None, work);
    }

    /// Adds the changes of a node with their causes.
    fn add(&self, found: Vec<Found>, causes: Option<Causes<'_>>, work: &mut NodeWork) {
        work.changes.extend(add(found, causes, &self.collector, self.lines));
        work.changes.sort_unstable();
        work.changes.dedup();
    }

    fn add_failures(&self, failures: [Option<Failure>; 2], work: &mut NodeWork) {
        let found = failed(failures, self.lines).into_iter().collect();
        self.add(found, None, work);
    }
}

/// Starts threads for compiles of nodes: `jobs`, or one per processor.
pub(crate) fn threads(jobs: Option<NonZeroUsize>, nodes: usize) -> Result<ThreadPool, FleetError> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = jobs.map_or_else(processors, NonZeroUsize::get).clamp(1, nodes.max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_SIZE);
    pool.build().map_err(|error| FleetError::Threads(error.to_string()))
}

fn compiled<'g>(
    graph: &'g Graph,
    sources: &'g SourceMap,
    record: Option<&'g CompileRecord>,
) -> Compiled<'g> {
    Compiled { graph, sources, record }
}

/// Whether a resource has one of the tags, or one of them followed by `__` and its kind.
fn is_tagged(resource: &Resource, tags: &[String]) -> bool {
    let kind = resource.id.kind.to_lowercase();
    let kind = kind.as_str().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let has = |tag: &str| resource.tags.iter().any(|own| own == tag);
    tags.iter().any(|tag| has(tag) || has(&format!("{tag}__{kind}")))
}

/// The first node by name of each node block. A side that cannot be opened has no blocks.
pub(crate) fn one_per_node_block(nodes: &[FleetNode], sides: [&Side; 2]) -> Vec<FleetNode> {
    let mut first: BTreeMap<_, &FleetNode> = BTreeMap::new();
    for node in nodes {
        let block = |side: &Side| side.environment.as_ref().ok()?.node_block(&node.name);
        let known = first.entry(sides.map(block)).or_insert(node);
        if node.name < known.name {
            *known = node;
        }
    }
    let mut chosen: Vec<FleetNode> = first.into_values().cloned().collect();
    chosen.sort_by(|a, b| a.name.cmp(&b.name));
    chosen
}

fn reads_exports(compiled: &NodeCatalog) -> bool {
    compiled.record.as_ref().is_some_and(CompileRecord::reads_exports)
}

/// Whether a compile has run programs.
fn runs_programs(compiled: &NodeCatalog) -> bool {
    compiled.record.as_ref().is_some_and(CompileRecord::runs_programs)
}

/// Adds changes to all changes. Returns their numbers.
fn add(
    found: Vec<Found>,
    mut causes: Option<Causes<'_>>,
    collector: &Collector,
    lines: &Lines<'_>,
) -> Vec<u32> {
    let number = |found: Found| {
        let digest = found.change.digest();
        let own = match &found.file {
            _ if !collector.wants_causes(&digest) => None,
            Some(file) => Some(lines.of_file(file)),
            None => causes.as_mut().map(|all| all.of(&found)),
        };
        collector.add(digest, found.change, own)
    };
    found.into_iter().map(number).collect()
}

/// The changes of files that resources of both graphs copy from the same address.
fn files_changed(before: &Graph, after: &Graph, files: Option<&SourceFiles<'_>>) -> Vec<Found> {
    let mut copied = addresses(after);
    if !std::ptr::eq(before, after) {
        let known: BTreeSet<_> = addresses(before).into_iter().collect();
        copied.retain(|pair| known.contains(pair));
    }
    files_at(copied.iter(), files)
}

/// The changes of files that resources copy from addresses.
fn files_at<'p>(
    copied: impl Iterator<Item = &'p (String, String)>,
    files: Option<&SourceFiles<'_>>,
) -> Vec<Found> {
    let Some(files) = files else { return Vec::new() };
    let changes = copied.flat_map(|(resource, address)| files.changes(resource, address));
    changes.map(|(change, file)| Found { file: Some(file), ..Found::alone(change) }).collect()
}

/// The change that failures of the sides mean.
fn failed([before, after]: [Option<Failure>; 2], lines: &Lines<'_>) -> Option<Found> {
    let shown = |failure: Option<Failure>| Some(failure?.shown(lines));
    let change = match (shown(before), shown(after)) {
        (None, None) => return None,
        (None, Some(Failure { message, place })) => Change::Fails { message, place },
        (Some(Failure { message, place }), None) => Change::FailsNoMore { message, place },
        (Some(before), Some(Failure { message, place })) => {
            Change::StillFails { before: before.message, message, place }
        }
    };
    Some(Found::alone(change))
}

/// Compares sources without nodes: a model, a program, a document or several sources as one graph.
fn single(path: &Path, sides: [&Options; 2], lines: &Lines<'_>, found: &mut FleetDiff) {
    let _watch = Watch::begin();
    let [before, after] = sides.map(|options| {
        let mut reporter = FirstError::default();
        compile(&mut reporter, path, options, Purpose::Inspection)
            .map_err(|error| reporter.failure(error))
    });
    let collector = Collector::default();
    let changes = match (&before, &after) {
        (Ok(before), Ok(after)) => {
            let mut changes = compare(&before.graph, &after.graph);
            changes.extend(cycles(&before.graph, &after.graph));
            let causes = Causes::new(
                lines,
                compiled(&before.graph, &before.sources, None),
                compiled(&after.graph, &after.sources, None),
            );
            add(changes, Some(causes), &collector, lines)
        }
        _ => {
            let failures = [before.as_ref().err().cloned(), after.as_ref().err().cloned()];
            add(failed(failures, lines).into_iter().collect(), None, &collector, lines)
        }
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| name != ".").unwrap_or_else(|| "the sources".to_owned());
    found.nodes = vec![NodeDiff { name, changes }];
    (found.changes, _) = collector.finish();
    found.compiles = 2;
    found.is_single = true;
    let is_layered = sides.iter().any(|options| options.layer.is_some());
    let runs_python = SourceKind::of(path, sides[1]) == SourceKind::Inmanta;
    if is_layered && runs_python {
        let text = "plugins in Python are those of the work tree on both sides";
        found.notes.push(text.to_owned());
    }
}
