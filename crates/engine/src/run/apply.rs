//! Applies a graph: every resource after its dependencies, with as much concurrency as allowed.
//! Reports have a fixed order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ordain_graph::relations::{NodeId, Role};
use ordain_graph::{EdgeKind, ResourceId};
use rustc_hash::FxHashMap;

use crate::kind::Level;
use crate::kind::report::{Counts, ResourceReport, Status};
use crate::run::batch;
use crate::run::observer::Observer;
use crate::run::prepare::{Item, Prepared};
use crate::run::step::{Events, Mode, StepResult, Stepper};
use crate::run::transfer::Transfers;
use crate::run::unfinished::UnfinishedRuns;
use crate::system::host::Host;

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The resources in the order of the plan.
    pub resources: Vec<ResourceReport>,
}

impl Report {
    /// The numbers of resources by status.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for report in &self.resources {
            counts.add(report.status, &report.changes, report.refreshed);
        }
        counts
    }
}

/// Makes the machine match a graph.
pub fn apply(prepared: &Prepared, host: &Host, observer: &dyn Observer, jobs: usize) -> Report {
    run(prepared, host, observer, jobs, Mode::Apply, &UnfinishedRuns::default())
}

/// The same after unfinished runs: their leftovers are removed, and their pending notifications are
/// sent.
pub fn apply_after(
    prepared: &Prepared,
    host: &Host,
    observer: &dyn Observer,
    jobs: usize,
    earlier: &UnfinishedRuns,
) -> Report {
    earlier.clear(prepared, host);
    run(prepared, host, observer, jobs, Mode::Apply, earlier)
}

pub(crate) fn run(
    prepared: &Prepared,
    host: &Host,
    observer: &dyn Observer,
    jobs: usize,
    mode: Mode,
    earlier: &UnfinishedRuns,
) -> Report {
    let transfers = Transfers::default();
    let run = Run {
        stepper: Stepper {
            prepared,
            host,
            observer,
            mode,
            transfers: &transfers,
            tries_again: true,
        },
        place: places(prepared),
        unnotified_changes: earlier.unnotified_changes(prepared),
        earlier,
        in_order: jobs <= 1 && !prepared.graph.containment.is_empty(),
        state: Mutex::new(State::new(prepared)),
        changed: Condvar::new(),
    };
    run.make_first_ready();
    if jobs <= 1 {
        run.work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| run.work());
            }
        });
    }
    let state = run.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    Report { resources: state.reports }
}

/// The place of each node in the order.
fn places(prepared: &Prepared) -> Vec<u32> {
    let mut place = vec![0; prepared.relations.len()];
    for (i, node) in prepared.order.iter().enumerate() {
        place[node.index()] = i as u32;
    }
    place
}

/// A failure of a dependency; of several the first in the order is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Failure {
    /// Whether a skipped resource lies between, which has already named it.
    told: bool,
    place: u32,
    resource: ResourceId,
}

/// The events and failures that reached a node so far.
#[derive(Clone, Copy, Default)]
struct Inbox {
    waits_for: u32,
    events: Events,
    /// The time of an unnotified change in an earlier, unfinished run; 0 if there is none.
    unnotified: u64,
    failed: Option<Failure>,
}

struct State {
    inbox: Vec<Inbox>,
    /// The nodes that wait for nothing, by position in the order.
    ready: BinaryHeap<Reverse<u32>>,
    /// The ready nodes that may be changed in one batch, by group.
    mates: FxHashMap<&'static str, BTreeSet<u32>>,
    running: usize,
    /// Finished resources that are not yet reported, by place.
    done: BTreeMap<u32, Vec<ResourceReport>>,
    /// The next place to report.
    next: u32,
    reports: Vec<ResourceReport>,
}

impl State {
    fn new(prepared: &Prepared) -> Self {
        let degrees = prepared.relations.in_degrees();
        Self {
            ready: BinaryHeap::new(),
            mates: FxHashMap::default(),
            inbox: degrees.iter().map(|&d| Inbox { waits_for: d, ..Inbox::default() }).collect(),
            running: 0,
            done: BTreeMap::new(),
            next: 0,
            reports: Vec::new(),
        }
    }
}

struct Run<'a> {
    stepper: Stepper<'a>,
    place: Vec<u32>,
    earlier: &'a UnfinishedRuns,
    /// Changes of earlier, unfinished runs.
    unnotified_changes: BTreeMap<ResourceId, u64>,
    /// Whether resources are processed one at a time in the order of the plan, as manifests with
    /// containers expect. Then only neighbours form a batch.
    in_order: bool,
    state: Mutex<State>,
    changed: Condvar,
}

/// A resource that is to be worked on.
#[derive(Clone, Copy)]
struct DueResource {
    place: u32,
    node: NodeId,
    resource: ResourceId,
    inbox: Inbox,
}

impl Run<'_> {
    fn make_first_ready(&self) {
        let mut state = self.lock();
        for (place, node) in self.stepper.prepared.order.iter().enumerate() {
            if state.inbox[node.index()].waits_for == 0 {
                self.make_ready(&mut state, place as u32);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(Reverse(place)) = state.ready.pop() else {
                if state.running == 0 {
                    self.changed.notify_all();
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if self.is_marker(place) {
                self.pass_marker(&mut state, place);
                continue;
            }
            let due = self.due_with(&mut state, place);
            if due.is_empty() {
                continue;
            }
            state.running += 1;
            drop(state);
            let stepped = self.step(&due);
            state = self.lock();
            state.running -= 1;
            for (due, stepped) in due.iter().zip(stepped) {
                self.settle(&mut state, due, stepped);
            }
            self.changed.notify_all();
        }
    }

    fn is_marker(&self, place: u32) -> bool {
        let node = self.stepper.prepared.order[place as usize];
        self.stepper.prepared.relations.node(node).role != Role::Leaf
    }

    /// Passes on the events that reached the marker of a container.
    fn pass_marker(&self, state: &mut State, place: u32) {
        let node = self.stepper.prepared.order[place as usize];
        let inbox = state.inbox[node.index()];
        self.pass_on(state, node, (inbox.events.as_one(), inbox.unnotified), inbox.failed);
        self.report(state, place, Vec::new());
    }

    /// Marks a node as ready.
    fn make_ready(&self, state: &mut State, place: u32) {
        state.ready.push(Reverse(place));
        if let Some(group) = self.group(state, place) {
            state.mates.entry(group).or_default().insert(place);
        }
    }

    /// The group of a resource for batches.
    fn group(&self, state: &State, place: u32) -> Option<&'static str> {
        let due = self.due(state, place);
        let may = !self.is_marker(place) && due.inbox.failed.is_none();
        if may { self.stepper.group(due.resource) } else { None }
    }

    fn due(&self, state: &State, place: u32) -> DueResource {
        let node = self.stepper.prepared.order[place as usize];
        let resource = self.stepper.prepared.relations.node(node).resource;
        DueResource { place, node, resource, inbox: state.inbox[node.index()] }
    }

    /// A resource with the rest of its batch; `None` if another batch included it.
    fn due_with(&self, state: &mut State, place: u32) -> Vec<DueResource> {
        let mut due = vec![self.due(state, place)];
        let Some(group) = self.group(state, place) else { return due };
        let mates = state.mates.entry(group).or_default();
        if !mates.remove(&place) {
            return Vec::new();
        }
        if !self.in_order {
            let first = std::iter::from_fn(|| mates.pop_first()).take(batch::MAX_MEMBERS - 1);
            let first: Vec<u32> = first.collect();
            due.extend(first.into_iter().map(|place| self.due(state, place)));
            return due;
        }
        while let Some(&Reverse(next)) = state.ready.peek() {
            if self.is_marker(next) {
                state.ready.pop();
                self.pass_marker(state, next);
                continue;
            }
            let is_full = due.len() >= batch::MAX_MEMBERS;
            let mates = state.mates.get_mut(group).filter(|_| !is_full);
            if !mates.is_some_and(|mates| mates.remove(&next)) {
                break;
            }
            state.ready.pop();
            due.push(self.due(state, next));
        }
        due
    }

    /// Records the result of a resource.
    fn settle(&self, state: &mut State, due: &DueResource, stepped: StepResult) {
        let DueResource { place, node, resource, inbox } = *due;
        let own = stepped.failed.then_some(Failure { told: false, place, resource });
        let skipped = |failure| Failure { told: !self.is_virtual(resource), ..failure };
        let failed = inbox.failed.map(skipped).or(own);
        // A resource that changes now notifies by itself.
        let unnotified =
            self.unnotified_changes.get(&resource).filter(|_| stepped.events.is_none());
        let unnotified = unnotified.copied().unwrap_or_default();
        self.pass_on(state, node, (stepped.events, unnotified), failed);
        self.report(state, place, stepped.reports);
    }

    fn is_virtual(&self, resource: ResourceId) -> bool {
        matches!(self.stepper.prepared.items[resource.0 as usize], Item::Virtual)
    }

    fn step(&self, due: &[DueResource]) -> Vec<StepResult> {
        let begun: Vec<_> = due.iter().map(|due| self.incoming(due)).collect();
        let members = due.iter().zip(&begun);
        let members = members.filter_map(|(due, step)| Some((due.resource, *step.as_ref().ok()?)));
        let mut stepped = self.stepper.run_batch(&members.collect::<Vec<_>>()).into_iter();
        begun.into_iter().filter_map(|step| step.map_or_else(Some, |_| stepped.next())).collect()
    }

    /// The events that reached a resource; or its result, if it is not checked.
    fn incoming(&self, due: &DueResource) -> Result<Events, StepResult> {
        let DueResource { resource, inbox, .. } = *due;
        let prepared = self.stepper.prepared;
        let mut report = self.stepper.blank(resource);
        if let Some(failure) = inbox.failed {
            if !self.is_virtual(resource) {
                report.status = Status::SkippedForFailure;
                let name = &prepared.graph.resource(failure.resource).id;
                report.blocked_by = Some(name.clone());
                if !failure.told {
                    let text = format!("Dependency {name} has failures: true");
                    report.add_line(Level::Notice, None, text);
                }
                report.add_line(Level::Warning, None, "Skipping because of failed dependencies");
                return Err(StepResult::unmoved(report, true));
            }
        } else if self.stepper.observer.stop() || self.stepper.host.ending().is_some() {
            report.status = Status::Stopped;
            return Err(StepResult::unmoved(report, false));
        }
        let mut events = inbox.events;
        if inbox.unnotified > 0 && !self.earlier.was_notified(&report.resource, inbox.unnotified) {
            events.add(Events { real: 1, noop: 0 });
        }
        Ok(events)
    }

    fn pass_on(
        &self,
        state: &mut State,
        node: NodeId,
        (events, unnotified): (Events, u64),
        failed: Option<Failure>,
    ) {
        for edge in self.stepper.prepared.relations.edges(node) {
            let inbox = &mut state.inbox[edge.to.index()];
            if edge.kind == EdgeKind::Notify {
                inbox.events.add(events);
                inbox.unnotified = inbox.unnotified.max(unnotified);
            }
            inbox.failed = match (inbox.failed, failed) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            inbox.waits_for -= 1;
            if inbox.waits_for == 0 {
                self.make_ready(state, self.place[edge.to.index()]);
                self.changed.notify_one();
            }
        }
    }

    /// Holds reports back until everything before them in the order is reported.
    fn report(&self, state: &mut State, place: u32, reports: Vec<ResourceReport>) {
        state.done.insert(place, reports);
        while let Some(reports) = state.done.remove(&state.next) {
            state.next += 1;
            for report in reports {
                self.stepper.observer.finished(&report);
                state.reports.push(report);
            }
        }
    }
}
