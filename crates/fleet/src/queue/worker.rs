//! A worker: it compiles the nodes of batches.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_driver::{Commit, Layer, Options};
use ordain_fleet_store::{
    Database, FleetJob, FleetStoreError, delete_old_fleet_jobs, now, open_fleet_jobs, read,
    shared_input, write,
};
use ordain_source::layer::absolute;
use rayon::ThreadPool;

use super::POLL;
use super::leases::Lease;
use super::messages::{self, Batch, BatchResult, SideExports, Specification, WireExported};
use crate::cause::Lines;
use crate::collect::Collector;
use crate::compare::SourceFiles;
use crate::directory::MovedLayer;
use crate::error::FleetError;
use crate::nodes::FleetNode;
use crate::revision::SideSources;
use crate::run::{BATCH, ENVIRONMENT, Sides, threads};
use crate::side::Side;
use crate::store::{NodeStore, failed};

/// The commits that stay open: those of two comparisons.
const MAX_COMMITS: usize = 4;

/// The time after which a job is looked at again that this worker could not take.
const REFUSAL: Duration = Duration::from_secs(30);

/// The longest pause while the database does not answer.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The settings of a worker.
#[derive(Debug)]
pub struct WorkerOptions {
    /// A directory of the git repository that has the commits.
    pub repository: PathBuf,
    /// The name of the worker in the database.
    pub name: String,
    /// The number of nodes that are compiled at a time, by default one per processor.
    pub jobs: Option<NonZeroUsize>,
    /// The time after which other workers may take the batch of this one, if it was killed.
    pub lease: Duration,
    /// The time without any job after which the worker ends. `None` means never.
    pub idle: Option<Duration>,
}

/// An event of a worker, for its log.
#[derive(Debug)]
pub enum WorkerEvent {
    /// The worker takes part in a job.
    JobStarted {
        /// The job.
        job: i64,
        /// The user who created it.
        actor: String,
    },
    /// The worker cannot take part in a job, and looks again in thirty seconds.
    JobRefused {
        /// The job.
        job: i64,
        /// The reason.
        reason: String,
    },
    /// The result of a batch is stored.
    BatchDone {
        /// The job.
        job: i64,
        /// The number of the batch.
        batch: i64,
        /// The number of its nodes.
        nodes: usize,
        /// The number of compiles.
        compiles: usize,
        /// The time that it took.
        time: Duration,
    },
    /// The lease of a batch ended before its result was there. Another worker compiles it.
    BatchLost {
        /// The job.
        job: i64,
        /// The number of the batch.
        batch: i64,
    },
    /// A batch cannot be compiled.
    BatchFailed {
        /// The job.
        job: i64,
        /// The number of the batch.
        batch: i64,
        /// The reason.
        reason: String,
    },
    /// The database does not answer. The worker tries again.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

/// Takes batches from the queue of a database and compiles them, until `pause` returns false or there
/// was no job for the time in the options. `pause` waits for a time, and returns whether to go on.
///
/// # Errors
/// When the path is in no repository, or the database fails. A database that does not answer is asked
/// again.
pub fn work(
    store: &NodeStore,
    options: &WorkerOptions,
    pause: &dyn Fn(Duration) -> bool,
    log: &mut dyn FnMut(WorkerEvent),
) -> Result<(), FleetError> {
    Commit::find(&options.repository, "HEAD")?;
    let database = store.database();
    let pool = threads(options.jobs, BATCH)?;
    let (refused, commits) = (Vec::new(), Vec::new());
    let mut worker = Worker { store, database, options, pool, pause, log, refused, commits };
    let mut idle_since = Instant::now();
    let mut wait = POLL;
    loop {
        match worker.turn() {
            Ok(true) => {
                idle_since = Instant::now();
                wait = Duration::ZERO;
            }
            Ok(false) => wait = POLL,
            Err(FleetStoreError::Unavailable { reason }) => {
                (worker.log)(WorkerEvent::Unavailable { reason });
                wait = (2 * wait.max(POLL)).min(MAX_PAUSE);
            }
            Err(error) => return Err(failed(error)),
        }
        let is_over = options.idle.is_some_and(|idle| idle_since.elapsed() >= idle);
        if is_over || !pause(wait) {
            return Ok(());
        }
    }
}

struct Worker<'w> {
    store: &'w NodeStore,
    database: Arc<dyn Database>,
    options: &'w WorkerOptions,
    pool: ThreadPool,
    pause: &'w dyn Fn(Duration) -> bool,
    log: &'w mut dyn FnMut(WorkerEvent),
    /// Jobs that this worker could not take, and when.
    refused: Vec<(i64, Instant)>,
    /// Open commits by their ids, the latest last.
    commits: Vec<(String, OpenCommit)>,
}

/// A commit, and the root of the repository that it is from.
#[derive(Clone)]
struct OpenCommit {
    root: PathBuf,
    layer: Layer,
}

impl Worker<'_> {
    /// Takes part in the oldest job that has work. Returns false if no job has.
    fn turn(&mut self) -> Result<bool, FleetStoreError> {
        let jobs = read(&*self.database, None, |connection| open_fleet_jobs(connection, now()))?;
        if jobs.is_empty() {
            write(&*self.database, |connection| delete_old_fleet_jobs(connection, now()))?;
        }
        self.refused.retain(|(_, since)| since.elapsed() < REFUSAL);
        let refused: HashSet<i64> = self.refused.iter().map(|(job, _)| *job).collect();
        for job in jobs.iter().filter(|job| !refused.contains(&job.id)) {
            match self.prepare(job) {
                Ok((specification, before, after)) => {
                    let Some(lease) = self.lease(job.id)? else { continue };
                    self.take_part(job, &specification, [before, after], lease)?;
                    return Ok(true);
                }
                Err(reason) => {
                    self.refused.push((job.id, Instant::now()));
                    (self.log)(WorkerEvent::JobRefused { job: job.id, reason });
                }
            }
        }
        Ok(false)
    }

    fn lease(&self, job: i64) -> Result<Option<Lease>, FleetStoreError> {
        Lease::take(&self.database, job, &self.options.name, self.options.lease)
    }

    /// Opens the commits of a job.
    fn prepare(
        &mut self,
        job: &FleetJob,
    ) -> Result<(Specification, OpenCommit, OpenCommit), String> {
        let specification: Specification = messages::read(job.specification.as_bytes())
            .map_err(|_| "another version of ordain created it".to_owned())?;
        if specification.version != env!("CARGO_PKG_VERSION") {
            return Err(format!("ordain {} created it", specification.version));
        }
        let before = self.commit(&specification.before)?;
        let after = self.commit(&specification.after)?;
        Ok((specification, before, after))
    }

    fn commit(&mut self, id: &str) -> Result<OpenCommit, String> {
        if let Some(at) = self.commits.iter().position(|(known, _)| known == id) {
            // The latest are kept.
            self.commits[at..].rotate_left(1);
        } else {
            let commit = Commit::open(&self.options.repository, id).map_err(|e| e.message)?;
            let root = commit.root().to_owned();
            let open = OpenCommit { root, layer: Layer(Arc::new(commit)) };
            self.commits.push((id.to_owned(), open));
            let more = self.commits.len().saturating_sub(MAX_COMMITS);
            self.commits.drain(..more);
        }
        self.commits.last().map(|(_, open)| open.clone()).ok_or_else(|| "no commit".to_owned())
    }

    /// Compiles batches of a job, beginning with a leased one, until it is over or only another job has
    /// work.
    fn take_part(
        &mut self,
        job: &FleetJob,
        specification: &Specification,
        commits: [OpenCommit; 2],
        first: Lease,
    ) -> Result<(), FleetStoreError> {
        (self.log)(WorkerEvent::JobStarted { job: job.id, actor: job.actor.clone() });
        let options = specification.options();
        let [before, after] = commits.map(|commit| shown_at(&specification.root, commit));
        let path = &specification.path;
        let world = |side: &SideSources| {
            Options { layer: side.layer.clone(), ..options.clone() }.untracked_world()
        };
        let (before_world, after_world) = (world(&before), world(&after));
        let lines = Lines::new(path, before_world.as_ref(), after_world.as_ref());
        let sides = Sides {
            having: &specification.having,
            ignore_tags: &specification.ignore_tags,
            before: Side::open(path, &before, &options),
            after: Side::open(path, &after, &options),
            cache: None,
            environment: specification.environment.as_deref().unwrap_or(ENVIRONMENT),
            lines: &lines,
            collector: Collector::default(),
        };
        let files = sides.files();
        let mut session = Session { sides: &sides, files, has_exports: false };
        let mut lease = first;
        loop {
            self.batch(&mut session, &lease)?;
            drop(lease);
            lease = loop {
                if !(self.pause)(Duration::ZERO) {
                    return Ok(());
                }
                if let Some(next) = self.lease(job.id)? {
                    break next;
                }
                // The batches of others may fall due again, and the code is open.
                let open = |connection: &mut dyn ordain_fleet_store::Connection| {
                    open_fleet_jobs(connection, now())
                };
                let open = read(&*self.database, None, open)?;
                let refused = |id| self.refused.iter().any(|(job, _)| *job == id);
                let goes_on = open.iter().any(|other| other.id == job.id);
                let is_alone = open.iter().all(|other| other.id == job.id || refused(other.id));
                if !goes_on || !is_alone || !(self.pause)(POLL) {
                    return Ok(());
                }
            };
        }
    }

    /// Compiles a batch and stores its result.
    fn batch(&mut self, session: &mut Session<'_>, lease: &Lease) -> Result<(), FleetStoreError> {
        let start = Instant::now();
        let (job, batch) = (lease.batch.job, lease.batch.ordinal);
        let result = self.compiled(session, lease)?;
        let event = match result {
            Ok(Compiled { result, nodes, compiles }) => match lease.complete(&result)? {
                true => {
                    WorkerEvent::BatchDone { job, batch, nodes, compiles, time: start.elapsed() }
                }
                false => WorkerEvent::BatchLost { job, batch },
            },
            Err(reason) => match lease.fail(&reason)? {
                true => WorkerEvent::BatchFailed { job, batch, reason },
                false => WorkerEvent::BatchLost { job, batch },
            },
        };
        (self.log)(event);
        Ok(())
    }

    /// The result of a batch, or the reason why there is none.
    fn compiled(
        &self,
        session: &mut Session<'_>,
        lease: &Lease,
    ) -> Result<Result<Compiled, String>, FleetStoreError> {
        let batch: Batch = match messages::read(&lease.batch.input) {
            Ok(batch) => batch,
            Err(reason) => return Ok(Err(reason)),
        };
        if batch.has_exports && !session.has_exports {
            let job = lease.batch.job;
            let shared = read(&*self.database, None, |connection| shared_input(connection, job))?;
            match messages::read(&shared.unwrap_or_default()) {
                Ok(exports) => session.load(exports),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let stored = |name: &str| self.store.fleet_node(name);
        let nodes: Result<Vec<FleetNode>, FleetError> =
            batch.nodes.into_iter().map(|node| node.node(stored)).collect();
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let result = session.compile(&self.pool, &nodes);
        let compiles = result.nodes.iter().map(|node| node.compiles).sum();
        let nodes = nodes.len();
        Ok(messages::write(&result).map(|result| Compiled { result, nodes, compiles }))
    }
}

/// The result of a batch for the queue, with the numbers of its nodes and compiles.
struct Compiled {
    result: Vec<u8>,
    nodes: usize,
    compiles: usize,
}

/// The code of a job, open.
struct Session<'s> {
    sides: &'s Sides<'s>,
    files: Option<SourceFiles<'s>>,
    /// Whether the exported resources of all nodes are loaded.
    has_exports: bool,
}

impl Session<'_> {
    fn load(&mut self, exports: SideExports) {
        let sides = [(&self.sides.before, exports.before), (&self.sides.after, exports.after)];
        for (side, exported) in sides {
            let exported: Vec<_> = exported.into_iter().map(Into::into).collect();
            side.export(&exported);
            side.exports.sort();
        }
        self.has_exports = true;
    }

    fn compile(&self, pool: &ThreadPool, nodes: &[FleetNode]) -> BatchResult {
        let works = self.sides.batch(pool, nodes, self.files.as_ref(), !self.has_exports);
        let taken = |side: &Side| -> Vec<WireExported> {
            // The exports of all nodes are for the batches that follow.
            let exported = if self.has_exports { Vec::new() } else { side.exports.take() };
            exported.into_iter().map(Into::into).collect()
        };
        BatchResult {
            nodes: works.into_iter().map(Into::into).collect(),
            changes: self.sides.collector.take(),
            exports: SideExports {
                before: taken(&self.sides.before),
                after: taken(&self.sides.after),
            },
        }
    }
}

/// A commit at the root of the waiting process.
fn shown_at(root: &Path, commit: OpenCommit) -> SideSources {
    let layer = match absolute(root) == absolute(&commit.root) {
        true => commit.layer,
        false => Layer(Arc::new(MovedLayer::new(root, &commit.root, commit.layer))),
    };
    SideSources { label: String::new(), layer: Some(layer) }
}
