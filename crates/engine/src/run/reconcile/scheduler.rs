//! The scheduler: turns events into actions.

use std::collections::BTreeSet;

use ordain_graph::ResourceRef;
use ordain_graph::relations::Role;
use rustc_hash::{FxHashMap, FxHashSet};

use super::scheduler_graph::{Key, Poll, SchedulerGraph, Settings};
use super::semaphores::Semaphores;
use super::vertex::{State, VertexId};
use crate::run::batch::MAX_MEMBERS;

/// An action of the driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Arm the watch of a resource, then call [`Scheduler::armed`].
    Watch(VertexId),
    /// End its watch. It sends no more events.
    Unwatch(VertexId),
    /// Check these vertices and make the changes, as one batch if there are several; then call
    /// [`Scheduler::finished`] for each.
    Check(Vec<DueVertex>),
}

/// A resource that is to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DueVertex {
    /// The resource.
    pub vertex: VertexId,
    /// Whether it should act on a notification.
    pub refresh: bool,
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing differed.
    InPlace,
    /// Differences were changed.
    Changed,
    /// A command or another action without state ran, and nothing differed.
    Ran,
    /// Something differs and was left as it is.
    WouldChange,
    /// It could not be observed or changed.
    Failed,
    /// It was interrupted.
    Interrupted,
}

/// The status of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReconcileStatus {
    /// In the desired state.
    InPlace,
    /// It differs, but must not be changed.
    WouldChange,
    /// Being worked on.
    Running,
    /// Waiting for others, for its watch or for time.
    Waiting,
    /// Changed again and again, and therefore checked less often.
    Flapping,
    /// Failed, permanently or until a retry.
    Failed,
    /// Not checked.
    Hidden,
}

/// The options of the scheduler. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct SchedulerOptions {
    /// The maximum number of resources that are checked at the same time.
    pub jobs: usize,
    /// The interval at which everything is checked, because an event may have been lost.
    pub sweep: Option<u64>,
    /// The number of changes within [`SchedulerOptions::flap_window`] from which a resource counts
    /// as flapping.
    pub flap_changes: usize,
    /// See [`SchedulerOptions::flap_changes`].
    pub flap_window: u64,
    /// The initial delay of a flapping resource; it doubles each time.
    pub flap_delay: u64,
}

impl Default for SchedulerOptions {
    fn default() -> Self {
        Self {
            jobs: 1,
            sweep: Some(30 * 60 * 1000),
            flap_changes: 6,
            flap_window: 60_000,
            flap_delay: 5_000,
        }
    }
}

/// The initial delay before a failed watch is armed again, in milliseconds; it doubles each time,
/// until a watch lasts for [`REARM_RESET_TIME`].
const INITIAL_REARM_DELAY: u64 = 1000;

/// The time in milliseconds after which a breakdown of a watch counts as unrelated to the previous
/// one.
const REARM_RESET_TIME: u64 = 10 * 60 * 1000;

/// The maximum number of times the delay of a flapping resource is doubled.
const MAX_BACKOFF: u32 = 6;

/// Decides the time of checks. The module page lists its guarantees.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) tuning: SchedulerOptions,
    pub(super) states: Vec<Option<State>>,
    pub(super) free: Vec<u32>,
    pub(super) by_name: FxHashMap<Key, u32>,
    /// The vertices of the graph in its order, and the number of resources among them.
    pub(super) places: Vec<u32>,
    pub(super) leaves: usize,
    pub(super) generation: u32,
    /// The vertices that want to run and whose dependencies are settled, by position in the order.
    ready: BTreeSet<(u32, u32)>,
    /// The ready vertices that may be checked in one batch, by group.
    mates: FxHashMap<&'static str, BTreeSet<(u32, u32)>>,
    /// Timers: time, vertex, and action.
    pub(super) timers: BTreeSet<(u64, u32, Timer)>,
    pub(super) semaphores: Semaphores,
    /// The number of single checks and of batches that run.
    pub(super) running: usize,
    riding: usize,
    /// The next graph, which waits until removed vertices finish.
    pub(super) next: Option<SchedulerGraph>,
    pub(super) orders: Vec<Order>,
    pub(super) now: u64,
    next_sweep: Option<u64>,
    /// The number of watches that are not armed.
    pub(super) unarmed: usize,
    /// The number of timers that lead to a check.
    pub(super) due: usize,
    quiet_since: Option<u64>,
    /// The failed tries of each resource, across swaps.
    pub(super) tries: FxHashMap<ResourceRef, u32>,
    /// Resources that began to flap and were not reported yet.
    flapping: Vec<ResourceRef>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Timer {
    /// It may run now.
    Wake,
    /// It has to be checked.
    Poll,
    /// An event that had to wait counts now.
    Event,
    /// A watch that broke down is armed again.
    Arm,
}

impl Scheduler {
    /// A scheduler without a graph.
    pub fn new(tuning: SchedulerOptions, now: u64) -> Self {
        Self {
            tuning,
            states: Vec::new(),
            free: Vec::new(),
            by_name: FxHashMap::default(),
            places: Vec::new(),
            leaves: 0,
            generation: 0,
            ready: BTreeSet::new(),
            mates: FxHashMap::default(),
            timers: BTreeSet::new(),
            semaphores: Semaphores::default(),
            running: 0,
            riding: 0,
            next: None,
            orders: Vec::new(),
            now,
            next_sweep: tuning.sweep.map(|after| now.saturating_add(after)),
            unarmed: 0,
            due: 0,
            quiet_since: None,
            tries: FxHashMap::default(),
            flapping: Vec::new(),
        }
    }

    /// The name of a vertex.
    pub fn name(&self, id: VertexId) -> Option<&ResourceRef> {
        self.known(id).map(|state| &state.vertex.name)
    }

    /// The resource of a name.
    pub fn find(&self, name: &ResourceRef) -> Option<VertexId> {
        let index = *self.by_name.get(&(name.clone(), Role::Leaf))?;
        let generation = self.states[index as usize].as_ref()?.generation;
        Some(VertexId { index, generation })
    }

    /// All resources with their status, in the order of the graph.
    pub fn standings(&self) -> Vec<(&ResourceRef, ReconcileStatus)> {
        let states = self.states.iter().flatten();
        let mut states: Vec<&State> = states.filter(|s| s.vertex.role == Role::Leaf).collect();
        states.sort_by_key(|state| state.rank);
        states.into_iter().map(|state| (&state.vertex.name, standing(state, self.now))).collect()
    }

    /// Resources that began to flap, each reported once.
    pub fn take_flapping(&mut self) -> Vec<ResourceRef> {
        std::mem::take(&mut self.flapping)
    }

    /// The time since when there is nothing to do: every resource that neither failed nor waits for
    /// a failed one is in the desired state.
    pub fn quiet_since(&self) -> Option<u64> {
        self.quiet_since
    }

    /// Reports that the watch of a resource is armed, for the first time or again.
    pub fn armed(&mut self, id: VertexId) {
        let Some(state) = self.known_mut(id) else { return };
        if !std::mem::replace(&mut state.armed, true) {
            self.unarmed -= 1;
        }
        self.mark_dirty(id.index);
    }

    /// Reports that the watch of a resource failed and sends no more events. The resource has
    /// failed; if it has a retry left, its watch is armed again after a delay, and then it is
    /// checked.
    pub fn watch_failed(&mut self, id: VertexId) {
        let now = self.now;
        let Some(state) = self.known_mut(id).filter(|state| !state.failed && state.armed) else {
            return;
        };
        let lasted = now.saturating_sub(state.broke_at);
        state.breakdowns = if lasted > REARM_RESET_TIME { 1 } else { state.breakdowns + 1 };
        state.broke_at = now;
        self.failed(id.index);
        let Some(state) = self.known_mut(id) else { return };
        if !state.failed {
            // A watch that fails at once every time would keep the machine busy.
            let pause = INITIAL_REARM_DELAY << (state.breakdowns - 1).min(MAX_BACKOFF);
            let at = state.not_before.max(now.saturating_add(pause));
            state.not_before = at;
            state.armed = false;
            self.unarmed += 1;
            self.set_timer(at, id.index, Timer::Arm);
        }
        self.refresh_vertex(id.index);
    }

    /// Reports that the program of a resource asks for a check.
    pub fn asked(&mut self, id: VertexId) {
        if let Some(state) = self.known_mut(id) {
            state.is_asked = true;
        }
        self.touched(id);
    }

    /// Something happened to a resource.
    pub fn touched(&mut self, id: VertexId) {
        let now = self.now;
        let Some(state) = self.known_mut(id) else { return };
        match state.tokens.as_mut().map_or(Ok(()), |tokens| tokens.take(now)) {
            Ok(()) => self.mark_dirty(id.index),
            Err(u64::MAX) => {}
            Err(wait) => {
                let at = now.saturating_add(wait.max(1));
                self.set_timer(at, id.index, Timer::Event);
            }
        }
    }

    /// A check ended.
    pub fn finished(&mut self, id: VertexId, outcome: Outcome) {
        let now = self.now;
        let Some(state) = self.known_mut(id).filter(|state| state.running) else { return };
        state.running = false;
        let rides = std::mem::take(&mut state.rides);
        let is_done = !matches!(outcome, Outcome::Failed | Outcome::Interrupted);
        for edge in &mut state.incoming {
            edge.pending |= std::mem::take(&mut edge.taken) && !is_done;
        }
        let semaphores = state.vertex.settings.semaphores.clone();
        match rides {
            true => self.riding -= 1,
            false => self.running -= 1,
        }
        self.semaphores.give(&semaphores);
        match outcome {
            Outcome::Failed => self.failed(id.index),
            Outcome::Interrupted => self.mark_dirty(id.index),
            Outcome::InPlace | Outcome::Changed | Outcome::Ran | Outcome::WouldChange => {
                self.succeeded(id.index, outcome, now);
            }
        }
        self.refresh_vertex(id.index);
        self.swap_if_at_rest();
    }

    /// The orders for this time. `now` never goes back.
    pub fn orders(&mut self, now: u64) -> Vec<Order> {
        self.now = self.now.max(now);
        self.run_timers();
        self.start();
        let works = self.running > 0 || self.riding > 0;
        let busy = works || self.unarmed > 0 || self.due > 0 || self.next.is_some();
        self.quiet_since = match self.quiet_since {
            _ if busy || !self.ready.is_empty() => None,
            None => Some(self.now),
            since => since,
        };
        std::mem::take(&mut self.orders)
    }

    /// The time of the next timer.
    pub fn wakes_at(&self) -> Option<u64> {
        let timer = self.timers.first().map(|(at, ..)| *at);
        [timer, self.next_sweep].into_iter().flatten().min()
    }

    pub(super) fn known(&self, id: VertexId) -> Option<&State> {
        let state = self.states.get(id.index as usize)?.as_ref()?;
        (state.generation == id.generation).then_some(state)
    }

    fn known_mut(&mut self, id: VertexId) -> Option<&mut State> {
        let state = self.states.get_mut(id.index as usize)?.as_mut()?;
        (state.generation == id.generation).then_some(state)
    }

    pub(super) fn state(&mut self, index: u32) -> Option<&mut State> {
        self.states.get_mut(index as usize)?.as_mut()
    }

    pub(super) fn mark_dirty(&mut self, index: u32) {
        let Some(state) = self.state(index) else { return };
        state.dirty = true;
        self.refresh_vertex(index);
    }

    fn failed(&mut self, index: u32) {
        let now = self.now;
        let Some(state) = self.state(index) else { return };
        let Settings { retry, delay, longest_delay, .. } = state.vertex.settings;
        state.dirty = true;
        state.failing = true;
        state.would_change = false;
        if retry.is_some_and(|most| state.tries >= most) {
            state.failed = true;
        } else {
            // Without a delay a failing resource would occupy a worker forever.
            let doubled = delay.max(1).saturating_mul(1 << state.tries.min(32));
            let delay = doubled.min(longest_delay).max(delay).max(1);
            state.tries = state.tries.saturating_add(1);
            state.not_before = now.saturating_add(delay);
            let at = state.not_before;
            self.set_timer(at, index, Timer::Wake);
        }
        let (name, tries) = match self.state(index) {
            Some(state) => (state.vertex.name.clone(), state.tries),
            None => return,
        };
        self.tries.insert(name, tries);
    }

    fn succeeded(&mut self, index: u32, outcome: Outcome, now: u64) {
        let tuning = self.tuning;
        let Some(state) = self.state(index) else { return };
        state.failing = false;
        state.would_change = outcome == Outcome::WouldChange;
        let reset = state.vertex.settings.retry_reset || state.vertex.settings.retry.is_none();
        if reset {
            state.tries = 0;
        }
        let acted = matches!(outcome, Outcome::Changed | Outcome::Ran);
        let notifies = acted && !state.vertex.settings.noop;
        // A command that runs at a declared interval is not flapping.
        let has_pace = matches!(state.vertex.settings.poll, Poll::Every(_)) || state.was_asked;
        let is_paced = outcome == Outcome::Ran && has_pace;
        let flaps = notifies
            && !is_paced
            && note_change(state, &tuning, now)
            && !std::mem::replace(&mut state.is_named, true);
        let name = state.vertex.name.clone();
        state.calm_checks =
            if outcome == Outcome::InPlace { state.calm_checks.saturating_add(1) } else { 0 };
        let doublings = state.calm_checks.saturating_sub(1).min(MAX_BACKOFF);
        let longest = state.vertex.settings.max_poll_interval;
        let pause = match state.vertex.settings.poll {
            Poll::Every(every) => Some(every),
            Poll::WatchAndEvery(every) => {
                let grown = every.saturating_mul(1 << doublings);
                Some(grown.min(longest.max(every)))
            }
            Poll::Watch | Poll::Once => None,
        };
        if let Some(pause) = pause {
            self.set_timer(now.saturating_add(pause.max(1)), index, Timer::Poll);
        }
        if reset {
            self.tries.remove(&name);
        }
        if flaps {
            self.flapping.push(name);
        }
        if notifies {
            self.notify(index, &|_| false);
        }
    }

    /// Sends the notifications of an earlier run's change, except to receivers that were notified
    /// then.
    pub fn renotify(&mut self, from: &ResourceRef, was_notified: &dyn Fn(&ResourceRef) -> bool) {
        if let Some(id) = self.find(from) {
            self.notify(id.index, was_notified);
        }
    }

    /// Whether a notification is still pending.
    pub fn has_pending_notification(&self) -> bool {
        let mut edges = self.states.iter().flatten().flat_map(|state| &state.incoming);
        edges.any(|edge| edge.pending)
    }

    /// Puts a notification on the edges of a vertex, and through markers on those behind them.
    fn notify(&mut self, index: u32, leave_out: &dyn Fn(&ResourceRef) -> bool) {
        let mut seen = FxHashSet::default();
        let mut rest = vec![index];
        while let Some(from) = rest.pop() {
            let outgoing = self.state(from).map(|state| state.outgoing.clone()).unwrap_or_default();
            for (to, at) in outgoing {
                let Some(next) = self.state(to) else { continue };
                let Some(edge) = next.incoming.get_mut(at as usize).filter(|edge| edge.notify)
                else {
                    continue;
                };
                if next.vertex.role == Role::Leaf {
                    edge.pending |= !leave_out(&next.vertex.name);
                    self.refresh_vertex(to);
                } else if seen.insert(to) {
                    rest.push(to);
                }
            }
        }
    }

    /// Updates derived state of a vertex: whether it is settled and ready, and the counts of its
    /// dependents.
    pub(super) fn refresh_vertex(&mut self, index: u32) {
        let mut rest = vec![index];
        while let Some(index) = rest.pop() {
            let Some(state) = self.state(index) else { continue };
            let settled = state.unsettled == 0 && state.is_clean();
            if settled != state.settled {
                state.settled = settled;
                let outgoing = state.outgoing.clone();
                for (to, _) in outgoing {
                    let Some(next) = self.state(to) else { continue };
                    next.unsettled = match settled {
                        true => next.unsettled.saturating_sub(1),
                        false => next.unsettled + 1,
                    };
                    rest.push(to);
                }
            }
            self.consider(index);
        }
    }

    fn set_timer(&mut self, at: u64, index: u32, timer: Timer) {
        if self.timers.insert((at, index, timer)) && timer != Timer::Poll {
            self.due += 1;
        }
    }

    /// Adds a vertex to the ready ones, or removes it.
    pub(super) fn consider(&mut self, index: u32) {
        let now = self.now;
        let Some(state) = self.state(index) else { return };
        let (rank, not_before) = (state.rank, state.not_before);
        let wants = state.wants_to_run() && state.unsettled == 0;
        if wants && not_before <= now {
            let group = state.vertex.settings.group;
            if self.ready.insert((rank, index))
                && let Some(group) = group
            {
                self.mates.entry(group).or_default().insert((rank, index));
            }
        } else {
            self.forget(rank, index);
            if wants {
                self.set_timer(not_before, index, Timer::Wake);
            }
        }
    }

    pub(super) fn forget_ready(&mut self) {
        self.ready.clear();
        self.mates.clear();
    }

    /// Takes a vertex out of the ready ones.
    pub(super) fn forget(&mut self, rank: u32, index: u32) {
        let state = self.states[index as usize].as_ref();
        let group = state.and_then(|state| state.vertex.settings.group);
        self.forget_state(rank, index, group);
    }

    /// The same for one of a group.
    pub(super) fn forget_state(&mut self, rank: u32, index: u32, group: Option<&'static str>) {
        if self.ready.remove(&(rank, index))
            && let Some(mates) = group.and_then(|group| self.mates.get_mut(group))
        {
            mates.remove(&(rank, index));
        }
    }

    fn run_timers(&mut self) {
        let now = self.now;
        while let Some(&(at, index, timer)) = self.timers.first() {
            if at > now {
                break;
            }
            self.timers.remove(&(at, index, timer));
            self.due -= usize::from(timer != Timer::Poll);
            match timer {
                Timer::Wake => self.consider(index),
                Timer::Arm => self.arm_again(index),
                Timer::Poll | Timer::Event => self.mark_dirty(index),
            }
        }
        if self.next_sweep.is_some_and(|at| at <= now) {
            self.next_sweep = self.tuning.sweep.map(|after| now.saturating_add(after.max(1)));
            self.check_all();
        }
    }

    /// Orders a new watch for a vertex whose watch failed.
    fn arm_again(&mut self, index: u32) {
        let Some(state) = self.state(index) else { return };
        if !state.armed && !state.leaving {
            let id = VertexId { index, generation: state.generation };
            self.orders.push(Order::Watch(id));
        }
    }

    /// Forgets the quiet time: only the next orders show whether there is something to do.
    pub(super) fn forget_rest(&mut self) {
        self.quiet_since = None;
    }

    /// Schedules a check of all vertices, except those that are checked only once.
    pub fn check_all(&mut self) {
        self.forget_rest();
        for index in 0..self.states.len() as u32 {
            let is_once = |s: &mut State| s.vertex.settings.poll == Poll::Once;
            if self.state(index).is_some_and(|state| !is_once(state)) {
                self.mark_dirty(index);
            }
        }
    }

    /// Starts ready vertices, limited by workers and semaphores.
    fn start(&mut self) {
        let mut held = Vec::new();
        while self.running < self.tuning.jobs {
            let Some(&(rank, index)) = self.ready.first() else { break };
            self.forget(rank, index);
            let Some(state) = self.states[index as usize].as_ref() else { continue };
            let Settings { semaphores, group, .. } = &state.vertex.settings;
            let group = *group;
            if !self.semaphores.take(semaphores) {
                held.push((rank, index));
                continue;
            }
            self.running += 1;
            let mut due = Vec::from_iter(self.begin(index, false));
            while let Some((rank, index)) = self.mate(group).filter(|_| due.len() < MAX_MEMBERS) {
                self.forget(rank, index);
                self.riding += 1;
                due.extend(self.begin(index, true));
            }
            self.orders.push(Order::Check(due));
        }
        self.ready.extend(held);
    }

    /// The next of a group that is ready.
    fn mate(&self, group: Option<&'static str>) -> Option<(u32, u32)> {
        self.mates.get(group?)?.first().copied()
    }

    /// Starts the check of a vertex, or adds it to the batch of another.
    fn begin(&mut self, index: u32, rides: bool) -> Option<DueVertex> {
        let state = self.states[index as usize].as_mut()?;
        let refresh = state.is_notified();
        for edge in &mut state.incoming {
            edge.taken = std::mem::take(&mut edge.pending);
        }
        state.dirty = false;
        state.was_asked = std::mem::take(&mut state.is_asked);
        (state.running, state.rides) = (true, rides);
        let vertex = VertexId { index, generation: state.generation };
        self.refresh_vertex(index);
        Some(DueVertex { vertex, refresh })
    }
}

/// Records a change, and delays a flapping resource. Returns whether it is one.
fn note_change(state: &mut State, tuning: &SchedulerOptions, now: u64) -> bool {
    state.changes.push_back(now);
    while state.changes.front().is_some_and(|at| now - at > tuning.flap_window) {
        state.changes.pop_front();
    }
    if state.changes.len() >= tuning.flap_changes {
        let delay = tuning.flap_delay << state.backoff;
        state.backoff = (state.backoff + 1).min(MAX_BACKOFF);
        state.not_before = now.saturating_add(delay);
        while state.changes.len() >= tuning.flap_changes {
            state.changes.pop_front();
        }
        return true;
    }
    if state.changes.len() == 1 && now >= state.not_before {
        state.backoff = 0;
    }
    false
}

fn standing(state: &State, now: u64) -> ReconcileStatus {
    if state.vertex.settings.hidden {
        ReconcileStatus::Hidden
    } else if state.running {
        ReconcileStatus::Running
    } else if state.failed || state.failing {
        ReconcileStatus::Failed
    } else if state.backoff > 0 && now < state.not_before {
        ReconcileStatus::Flapping
    } else if state.would_change {
        ReconcileStatus::WouldChange
    } else if state.settled {
        ReconcileStatus::InPlace
    } else {
        ReconcileStatus::Waiting
    }
}
