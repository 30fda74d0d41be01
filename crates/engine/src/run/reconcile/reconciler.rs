//! Keeps a machine in the state of a graph: executes the scheduler's orders with threads, watches
//! and a clock.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_graph::relations::NodeId;
use ordain_graph::transfer::transfers;
use ordain_graph::{ResourceId, ResourceRef};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use super::build_graph::{self, build_graph};
use super::scheduler::{DueVertex, Order, Outcome, ReconcileStatus, Scheduler, SchedulerOptions};
use super::scheduler_graph::SchedulerGraphError;
use super::swap::SwapSummary;
use super::vertex::VertexId;
use super::workers::{CheckResult, Job, WorkerContext, Workers};
use crate::kind::report::ResourceReport;
use crate::run::observer::Observer;
use crate::run::prepare::{IncrementalUpdate, Item, Prepared, Ready};
use crate::run::redact::Secrets;
use crate::run::step;
use crate::run::transfer::Transfers;
use crate::run::unfinished::UnfinishedRuns;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::watch::{Wake, Watches};

/// The interval of checks for resources that cannot be watched.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The owner of a watch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Key {
    /// A resource.
    Vertex(VertexId),
    /// The files that the graph was compiled from.
    Sources,
    /// The files that the program behind the graphs waits for.
    Inputs,
}

/// The events while [`Reconciler::turn`] waited.
#[derive(Debug, Default)]
pub struct TurnEvents {
    /// Reports of checked resources and the resources that they generated.
    pub reports: Vec<ResourceReport>,
    /// Whether a source of the graph changed.
    pub sources_changed: bool,
    /// Whether an input of the program behind the graphs changed.
    pub inputs_changed: bool,
    /// Resources that cannot be watched, and the reason: they are checked every ten seconds
    /// instead.
    pub unwatched: Vec<(ResourceRef, io::Error)>,
    /// Resources that began to flap, each once.
    pub flapping: Vec<ResourceRef>,
}

/// Keeps a graph true.
pub struct Reconciler {
    scheduler: Scheduler,
    watches: Watches<Key>,
    workers: Workers,
    host: Arc<Host>,
    prepared: Option<Arc<Prepared>>,
    /// The receivers of each sender.
    receivers: FxHashMap<ResourceRef, Vec<ResourceRef>>,
    started: Instant,
    woken: Arc<OwnedFd>,
    /// Resources that could not be watched.
    unwatched: BTreeSet<VertexId>,
    /// The watches of resources whose watched paths may change.
    moving: FxHashMap<VertexId, Vec<Watch>>,
    next_look: Option<Instant>,
}

impl Reconciler {
    /// Starts without a graph.
    ///
    /// # Errors
    /// When the kernel refuses a thread or a watch.
    pub fn new(
        host: Arc<Host>,
        observer: Arc<dyn Observer + Send + Sync>,
        tuning: SchedulerOptions,
    ) -> io::Result<Self> {
        let woken = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let wake = waker(&woken);
        let workshop = WorkerContext {
            host: Arc::clone(&host),
            observer,
            wake: Arc::clone(&wake),
            transfers: Transfers::default(),
        };
        Ok(Self {
            scheduler: Scheduler::new(tuning, 0),
            watches: Watches::new(wake)?,
            workers: Workers::start(tuning.jobs, workshop)?,
            host,
            prepared: None,
            receivers: FxHashMap::default(),
            started: Instant::now(),
            woken,
            unwatched: BTreeSet::new(),
            moving: FxHashMap::default(),
            next_look: None,
        })
    }

    /// Interrupts the wait of [`Reconciler::turn`], from any thread and from signal handlers.
    pub fn waker(&self) -> Wake {
        waker(&self.woken)
    }

    /// The current graph, so that preparing the next one can reuse equal parts.
    pub fn prepared(&self) -> Option<&Arc<Prepared>> {
        self.prepared.as_ref()
    }

    /// Replaces the graph; equal resources are not disturbed.
    ///
    /// # Errors
    /// When the graph is invalid; the previous graph then stays.
    pub fn swap(&mut self, prepared: Prepared) -> Result<SwapSummary, SchedulerGraphError> {
        let swapped = match self.exchange(&prepared) {
            Some(swapped) => swapped,
            None => self.scheduler.swap(build_graph(&prepared, &self.host))?,
        };
        self.receivers.clear();
        for (_, resource) in prepared.graph.resources() {
            for transfer in transfers(resource) {
                self.receivers.entry(transfer.from).or_default().push(resource.id.clone());
            }
        }
        let earlier = self.prepared.replace(Arc::new(prepared));
        // Freeing a large graph takes longer than the swap.
        let _ = std::thread::Builder::new().spawn(move || drop(earlier));
        Ok(swapped)
    }

    /// The swap for a graph that mostly equals the current one.
    fn exchange(&mut self, prepared: &Prepared) -> Option<SwapSummary> {
        let IncrementalUpdate { after, changed } = prepared.incremental_update.as_ref()?;
        if self.prepared.as_ref()?.serial != *after {
            return None;
        }
        let changed: FxHashSet<ResourceId> = changed.iter().copied().collect();
        let order = prepared.order.iter().enumerate();
        let changed =
            order.filter(|(_, node)| changed.contains(&prepared.relations.node(**node).resource));
        let vertex = |(place, &node): (usize, &NodeId)| {
            (place as u32, build_graph::vertex(prepared, node, &self.host))
        };
        let changed: Vec<_> = changed.map(vertex).collect();
        self.scheduler.exchange(&changed)
    }

    /// Continues after unfinished runs: removes their leftovers and sends their pending
    /// notifications. Has to be called after the first swap, before any check.
    pub fn resume(&mut self, earlier: &UnfinishedRuns) {
        let Some(prepared) = self.prepared.clone() else { return };
        earlier.clear(&prepared, &self.host);
        for (id, since) in earlier.unnotified_changes(&prepared) {
            let name = &prepared.graph.resource(id).id;
            self.scheduler.renotify(name, &|receiver| earlier.was_notified(receiver, since));
        }
    }

    /// Watches these files and directories for [`TurnEvents::sources_changed`], and no others.
    ///
    /// # Errors
    /// When one cannot be watched. The others are.
    pub fn follow_sources(&mut self, paths: &[PathBuf]) -> io::Result<()> {
        self.watches.follow(Key::Sources, paths)
    }

    /// Watches these files and directories for [`TurnEvents::inputs_changed`], and no others.
    ///
    /// # Errors
    /// When one cannot be watched. The others are.
    pub fn follow_inputs(&mut self, paths: &[PathBuf]) -> io::Result<()> {
        self.watches.follow(Key::Inputs, paths)
    }

    /// Carries out pending orders, waits for an event or a timeout, and returns the events.
    ///
    /// # Errors
    /// When the kernel does not report events any more.
    pub fn turn(&mut self, timeout: Option<Duration>) -> io::Result<TurnEvents> {
        let mut turn = TurnEvents::default();
        let was_quiet = self.quiet_for().is_some();
        self.obey(&mut turn);
        // The caller has to hear of these before anything else happens.
        let has_news = !turn.unwatched.is_empty() || (!was_quiet && self.quiet_for().is_some());
        self.wait(if has_news { Some(Duration::ZERO) } else { timeout })?;
        let finished: Vec<CheckResult> = self.workers.take().collect();
        for done in finished {
            if matches!(done.outcome, Outcome::Changed | Outcome::Ran) {
                self.check_receivers(done.vertex);
            }
            self.scheduler.finished(done.vertex, done.outcome);
            self.follow_moves(done.vertex, &mut turn);
            turn.reports.extend(done.reports);
        }
        self.handle_watches(&mut turn)?;
        if self.next_look.is_some_and(|at| at <= Instant::now()) {
            self.unwatched.iter().for_each(|id| self.scheduler.touched(*id));
            self.next_look = Some(Instant::now() + POLL_INTERVAL);
        }
        self.obey(&mut turn);
        turn.flapping = self.scheduler.take_flapping();
        Ok(turn)
    }

    /// Passes watch events to the scheduler.
    fn handle_watches(&mut self, turn: &mut TurnEvents) -> io::Result<()> {
        let happened = self.watches.take()?;
        for key in happened.touched {
            match key {
                Key::Vertex(id) => self.scheduler.touched(id),
                Key::Sources => turn.sources_changed = true,
                Key::Inputs => turn.inputs_changed = true,
            }
        }
        // Sources and inputs have no programs.
        let vertex = |key| if let Key::Vertex(id) = key { Some(id) } else { None };
        for id in happened.wrote.into_iter().filter_map(vertex) {
            self.scheduler.asked(id);
        }
        for (key, how) in happened.ended {
            if let Some(id) = vertex(key) {
                self.program_ended(id, &how, turn);
            }
        }
        Ok(())
    }

    /// Handles the end of a resource's watch program: the resource has failed.
    fn program_ended(&mut self, id: VertexId, how: &str, turn: &mut TurnEvents) {
        self.watches.disarm(Key::Vertex(id));
        self.moving.remove(&id);
        if let Some((prepared, resource)) = self.found(id) {
            let declared = prepared.graph.resource(resource);
            let secrets = Secrets::of(declared);
            let text = secrets.map_or_else(|| how.to_string(), |secrets| secrets.text(how));
            let mut report = step::blank(declared, prepared.path(resource), None);
            report.fail(text);
            turn.reports.push(report);
        }
        self.scheduler.watch_failed(id);
    }

    /// All resources with their status, in the order of the graph.
    pub fn standings(&self) -> Vec<(&ResourceRef, ReconcileStatus)> {
        self.scheduler.standings()
    }

    /// The time for which there has been nothing to do.
    pub fn quiet_for(&self) -> Option<Duration> {
        let since = self.scheduler.quiet_since()?;
        Some(Duration::from_millis(self.now().saturating_sub(since)))
    }

    /// Checks the receivers of a resource whose sent values may have changed.
    fn check_receivers(&mut self, id: VertexId) {
        let receivers = self.scheduler.name(id).and_then(|name| self.receivers.get(name));
        for name in receivers.into_iter().flatten() {
            if let Some(receiver) = self.scheduler.find(name) {
                self.scheduler.touched(receiver);
            }
        }
    }

    /// Looks at every resource again.
    pub fn check_all(&mut self) {
        self.scheduler.check_all();
    }

    /// Starts nothing more and waits for running checks. Returns their results, and whether a
    /// notification is still undelivered.
    pub fn end(mut self) -> (Vec<ResourceReport>, bool) {
        let mut reports = Vec::new();
        for done in self.workers.end() {
            self.scheduler.finished(done.vertex, done.outcome);
            reports.extend(done.reports);
        }
        (reports, self.scheduler.has_pending_notification())
    }

    /// Milliseconds since the start.
    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn obey(&mut self, turn: &mut TurnEvents) {
        loop {
            let orders = self.scheduler.orders(self.now());
            if orders.is_empty() || self.host.ending().is_some() {
                return;
            }
            for order in orders {
                match order {
                    Order::Watch(id) => self.watch(id, turn),
                    Order::Unwatch(id) => {
                        self.watches.disarm(Key::Vertex(id));
                        self.unwatched.remove(&id);
                        self.moving.remove(&id);
                    }
                    Order::Check(due) => self.check(&due),
                }
            }
        }
    }

    fn watch(&mut self, id: VertexId, turn: &mut TurnEvents) {
        let (watches, moves) = match self.ready(id) {
            Some(ready) => (ready.instance.watches(&self.host), ready.instance.watches_move()),
            None => (Vec::new(), false),
        };
        self.arm(id, &watches, turn);
        if moves {
            self.moving.insert(id, watches);
        }
        self.scheduler.armed(id);
    }

    /// Updates the watches of a resource whose paths moved, and checks it again, because it may
    /// have changed meanwhile.
    fn follow_moves(&mut self, id: VertexId, turn: &mut TurnEvents) {
        let Some(known) = self.moving.get(&id) else { return };
        let watches = self.ready(id).map(|ready| ready.instance.watches(&self.host));
        let Some(watches) = watches.filter(|watches| watches != known) else { return };
        self.watches.disarm(Key::Vertex(id));
        self.arm(id, &watches, turn);
        self.moving.insert(id, watches);
        self.scheduler.touched(id);
    }

    /// The parsed resource of a vertex.
    fn ready(&self, id: VertexId) -> Option<&Ready> {
        let (prepared, resource) = self.found(id)?;
        match &prepared.items[resource.0 as usize] {
            Item::Ready(ready) => Some(ready),
            _ => None,
        }
    }

    fn arm(&mut self, id: VertexId, watches: &[Watch], turn: &mut TurnEvents) {
        if let Err(error) = self.watches.arm(Key::Vertex(id), watches, &self.host) {
            self.unwatched.insert(id);
            self.next_look.get_or_insert(Instant::now() + POLL_INTERVAL);
            turn.unwatched.extend(self.scheduler.name(id).map(|name| (name.clone(), error)));
        }
    }

    fn check(&self, due: &[DueVertex]) {
        let Some(prepared) = &self.prepared else { return };
        let found = |due: &DueVertex| Some((*due, self.found(due.vertex)?.1));
        let due = due.iter().filter_map(found).collect();
        self.workers.give(Job { prepared: Arc::clone(prepared), due });
    }

    fn found(&self, id: VertexId) -> Option<(&Arc<Prepared>, ResourceId)> {
        let prepared = self.prepared.as_ref()?;
        Some((prepared, prepared.graph.find(self.scheduler.name(id)?)?))
    }

    /// Waits for an event, at most until the time.
    fn wait(&self, timeout: Option<Duration>) -> io::Result<()> {
        let due = self.scheduler.wakes_at().map(|at| at.saturating_sub(self.now()));
        let look = self.next_look.map(|at| at.saturating_duration_since(Instant::now()));
        let look = look.filter(|_| !self.unwatched.is_empty());
        let wait = [due.map(Duration::from_millis), look, timeout].into_iter().flatten().min();
        let wait = wait.map(|wait| {
            Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
        });
        let mut fds = [
            PollFd::new(&self.woken, PollFlags::IN),
            PollFd::from_borrowed_fd(self.watches.as_fd(), PollFlags::IN),
        ];
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // Usually there is nothing to read.
        let _ = rustix::io::read(&self.woken, &mut [0; 8]);
        Ok(())
    }
}

fn waker(woken: &Arc<OwnedFd>) -> Wake {
    let woken = Arc::clone(woken);
    Arc::new(move || {
        // If its counter is full it is awake.
        let _ = rustix::io::write(&woken, &1_u64.to_ne_bytes());
    })
}
