//! The process that waits for the results of workers.

use std::sync::Arc;

use ordain_driver::{Options, SourceKind};
use ordain_fleet_store::{
    Connection, Database, FleetJobProgress, add_batches, advance_fleet_job, batch_results,
    create_fleet_job, now, put_shared_input, remove_fleet_job, write,
};
use ordain_source::layer::absolute;

use super::messages::{self, Batch, BatchResult, NodeResult, SideExports, Specification};
use super::{ATTEMPTS, POLL};
use crate::collect::Collector;
use crate::error::FleetError;
use crate::nodes::{FleetNode, WireNode};
use crate::result::{FleetDiff, NodeDiff};
use crate::revision::{Commits, Sources};
use crate::run::{BATCH, PROGRAMS_NOTE, Request, diff, one_per_node_block};
use crate::side::Side;
use crate::store::{NodeStore, failed};

/// The most batches that are added or read at a time, which bounds the memory.
const BATCHES_AT_ONCE: usize = 16;

/// The number of looks at the results between two looks at all batches.
const LOOKS: u32 = 5;

/// The queue of a database.
pub struct Queue<'q> {
    /// The database.
    pub store: &'q NodeStore,
    /// The user who compares.
    pub actor: &'q str,
    /// Gets the state from time to time.
    pub progress: &'q dyn Fn(&FleetJobProgress),
}

/// Finds the changes of all nodes as [`diff`] does, but the workers of a queue compile the nodes. Both
/// sides are commits. The cache is not used. Sources without nodes are compared by this process.
///
/// # Errors
/// When a side is no commit, there are no nodes, the database fails, or a batch of nodes has no result
/// after three attempts. Errors of the sources are changes of nodes.
pub fn diff_queued(request: &Request<'_>, queue: &Queue<'_>) -> Result<FleetDiff, FleetError> {
    let sources = Sources::open(request.range, request.path)?;
    let is_puppet = [&sources.before, &sources.after].into_iter().all(|side| {
        let options = Options { layer: side.layer.clone(), ..request.options.clone() };
        SourceKind::of(&sources.path, &options) == SourceKind::Puppet
    });
    if !is_puppet {
        return diff(request);
    }
    let commits = Commits::find(request.range, request.path)?;
    let first_of_blocks;
    let mut nodes = request.nodes;
    if request.one_per_node_block {
        let open = |side| Side::open(&sources.path, side, request.options);
        let (before, after) = (open(&sources.before), open(&sources.after));
        first_of_blocks = one_per_node_block(nodes, [&before, &after]);
        nodes = &first_of_blocks;
    }
    if nodes.is_empty() {
        return Err(FleetError::NoNodes("the sources of facts".to_owned()));
    }
    let found = FleetDiff {
        before: sources.before.label,
        after: sources.after.label,
        ..FleetDiff::default()
    };
    let specification = specification(request, commits);
    let mut waiting = Waiting::start(queue, nodes, &specification)?;
    let result = waiting.finish(found);
    // After an error nobody needs the results of the rest. If the job cannot be deleted, it ends by
    // itself.
    let job = waiting.job;
    let _ = write(&*waiting.database, |connection| remove_fleet_job(connection, job));
    result
}

fn specification(request: &Request<'_>, commits: Commits) -> Specification {
    let options = request.options;
    Specification {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        before: commits.before,
        after: commits.after,
        root: commits.root,
        path: absolute(request.path),
        environment: options.environment.clone(),
        modulepath: options.modulepath.clone(),
        hiera: options.hiera.as_deref().map(absolute),
        strict: options.strict.into(),
        strict_variables: options.strict_variables,
        legacy_facts: options.legacy_facts,
        having: request.having.to_vec(),
        ignore_tags: request.ignore_tags.to_vec(),
    }
}

/// A job whose results are awaited.
struct Waiting<'w> {
    queue: &'w Queue<'w>,
    database: Arc<dyn Database>,
    nodes: &'w [FleetNode],
    job: i64,
    /// The results so far. A node whose result was replaced has those of both rounds.
    results: Vec<NodeResult>,
    collector: Collector,
    exports: SideExports,
}

impl<'w> Waiting<'w> {
    /// Creates the job.
    fn start(
        queue: &'w Queue<'w>,
        nodes: &'w [FleetNode],
        specification: &Specification,
    ) -> Result<Self, FleetError> {
        let text = serde_json::to_string(specification)
            .map_err(|error| FleetError::Rule(error.to_string()))?;
        let database = queue.store.database();
        let create = |connection: &mut dyn Connection| {
            create_fleet_job(connection, queue.actor, &text, now())
        };
        let job = write(&*database, create).map_err(failed)?;
        let (results, collector) = (Vec::with_capacity(nodes.len()), Collector::default());
        let exports = SideExports::default();
        Ok(Self { queue, database, nodes, job, results, collector, exports })
    }

    /// Waits for all results.
    fn finish(&mut self, mut found: FleetDiff) -> Result<FleetDiff, FleetError> {
        let all: Vec<usize> = (0..self.nodes.len()).collect();
        let batches = self.add(&all, 0, false)?;
        self.wait(&all, 0, |own, _, result| own.results.push(result))?;
        if !self.exports.is_empty() {
            let again: Vec<usize> =
                all.into_iter().filter(|at| self.results[*at].reads_exports).collect();
            if !again.is_empty() {
                self.share_exports()?;
                self.add(&again, batches, true)?;
                self.wait(&again, batches, |own, at, result| {
                    let compiles = own.results[at].compiles + result.compiles;
                    own.results[at] = NodeResult { compiles, ..result };
                })?;
            }
        }
        if self.results.iter().any(|result| result.runs_programs) {
            found.notes.push(PROGRAMS_NOTE.to_owned());
        }
        for (node, result) in self.nodes.iter().zip(std::mem::take(&mut self.results)) {
            found.compiles += result.compiles;
            if !result.is_excluded {
                found.nodes.push(NodeDiff { name: node.name.clone(), changes: result.changes });
            }
        }
        (found.changes, _) = std::mem::take(&mut self.collector).finish();
        Ok(found)
    }

    /// Adds batches of nodes. Returns the number of the batch that would follow.
    fn add(&self, nodes: &[usize], first: i64, has_exports: bool) -> Result<i64, FleetError> {
        let mut next = first;
        for part in nodes.chunks(BATCH * BATCHES_AT_ONCE) {
            let input = |batch: &[usize]| {
                let nodes = batch.iter().map(|at| WireNode::of(&self.nodes[*at])).collect();
                messages::write(&Batch { has_exports, nodes })
            };
            let inputs: Vec<Vec<u8>> = part
                .chunks(BATCH)
                .map(input)
                .collect::<Result<_, _>>()
                .map_err(FleetError::Rule)?;
            let add =
                |connection: &mut dyn Connection| add_batches(connection, self.job, next, &inputs);
            write(&*self.database, add).map_err(failed)?;
            next += inputs.len() as i64;
            // To add the nodes of the largest fleets may take longer than a job lasts.
            self.progress()?;
        }
        Ok(next)
    }

    /// Gives all batches that follow the exported resources of all nodes.
    fn share_exports(&mut self) -> Result<(), FleetError> {
        let exports = std::mem::take(&mut self.exports);
        let shared = messages::write(&exports).map_err(FleetError::Rule)?;
        let put = |connection: &mut dyn Connection| put_shared_input(connection, self.job, &shared);
        write(&*self.database, put).map_err(failed)
    }

    /// Waits for the batches of nodes, of which `first` is the first. Passes on the results in the order
    /// of the nodes.
    fn wait(
        &mut self,
        nodes: &[usize],
        first: i64,
        mut pass_on: impl FnMut(&mut Self, usize, NodeResult),
    ) -> Result<(), FleetError> {
        let mut batches = nodes.chunks(BATCH);
        let mut next = first;
        let mut looks = 0;
        while batches.len() > 0 {
            let limit = BATCHES_AT_ONCE as i64;
            let results = ordain_fleet_store::read(&*self.database, None, |connection| {
                batch_results(connection, self.job, next, limit)
            });
            let results = results.map_err(failed)?;
            if results.is_empty() || looks >= LOOKS {
                self.check(nodes, first)?;
                looks = 0;
            }
            looks += 1;
            if results.is_empty() {
                std::thread::sleep(POLL);
            }
            for result in results {
                let result: BatchResult = messages::read(&result)
                    .map_err(|error| FleetError::Source(format!("the queue: {error}")))?;
                next += 1;
                let batch = batches.next().unwrap_or_default();
                self.merge(batch, result, &mut pass_on)?;
            }
        }
        self.progress().map(drop)
    }

    /// Adds the result of a batch.
    fn merge(
        &mut self,
        batch: &[usize],
        result: BatchResult,
        pass_on: &mut impl FnMut(&mut Self, usize, NodeResult),
    ) -> Result<(), FleetError> {
        let merge = |(change, searches)| self.collector.merge(change, searches);
        let numbers: Vec<u32> = result.changes.into_iter().map(merge).collect();
        self.exports.extend(result.exports);
        let number = |place: &u32| numbers.get(*place as usize).copied();
        if batch.len() != result.nodes.len() {
            return Err(FleetError::Source("the queue: a result is of other nodes".to_owned()));
        }
        for (at, mut node) in batch.iter().zip(result.nodes) {
            let changes: Option<Vec<u32>> = node.changes.iter().map(number).collect();
            node.changes = changes
                .ok_or_else(|| FleetError::Source("the queue: a change is missing".to_owned()))?;
            node.changes.sort_unstable();
            pass_on(self, *at, node);
        }
        Ok(())
    }

    /// Keeps the job from ending, and reports the state.
    fn progress(&self) -> Result<FleetJobProgress, FleetError> {
        let advance = |connection: &mut dyn Connection| {
            advance_fleet_job(connection, self.job, ATTEMPTS, now())
        };
        let progress = write(&*self.database, advance).map_err(failed)?;
        let progress = progress.ok_or(FleetError::JobGone)?;
        (self.queue.progress)(&progress);
        Ok(progress)
    }

    /// Fails if a batch had all of its attempts.
    fn check(&self, nodes: &[usize], first: i64) -> Result<(), FleetError> {
        let Some((ordinal, error)) = self.progress()?.failed else { return Ok(()) };
        let at = usize::try_from(ordinal - first).unwrap_or_default();
        let batch = nodes.chunks(BATCH).nth(at).unwrap_or_default();
        let name = |at: Option<&usize>| at.map_or("", |at| self.nodes[*at].name.as_str());
        let lost = || format!("{ATTEMPTS} workers took these nodes, and ended");
        Err(FleetError::Batch {
            nodes: format!("{} to {}", name(batch.first()), name(batch.last())),
            reason: error.unwrap_or_else(lost),
        })
    }
}
