//! From one graph to the next.

use ordain_graph::ResourceRef;
use ordain_graph::relations::Role;
use rustc_hash::{FxHashMap, FxHashSet};

use super::scheduler::{Order, Scheduler, Timer};
use super::scheduler_graph::{SchedulerGraph, SchedulerGraphError, Vertex};
use super::vertex::{IncomingEdge, State, VertexId};

/// The difference between two graphs, in resources.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SwapSummary {
    /// Nothing is done with them.
    pub kept: usize,
    /// They are ended and begun anew.
    pub changed: usize,
    /// They are new.
    pub added: usize,
    /// They are not there any more.
    pub removed: usize,
}

impl Scheduler {
    /// Replaces the graph that is enforced. Common vertices are not disturbed. Removed vertices
    /// end first, and new ones begin after that.
    ///
    /// # Errors
    /// When the graph cannot be enforced. Nothing changes then.
    pub fn swap(&mut self, next: SchedulerGraph) -> Result<SwapSummary, SchedulerGraphError> {
        next.validate()?;
        let mut swapped = SwapSummary::default();
        let wanted: FxHashMap<(&ResourceRef, Role), &Vertex> =
            next.vertices.iter().map(|vertex| ((&vertex.name, vertex.role), vertex)).collect();
        for index in 0..self.states.len() as u32 {
            let Some(state) = self.states[index as usize].as_mut() else { continue };
            let key = (&state.vertex.name, state.vertex.role);
            let stays = wanted.get(&key).is_some_and(|new| {
                new.digest == state.vertex.digest
                    && new.settings == state.vertex.settings
                    && !(state.failed && new.settings.rewatch)
            });
            let is_counted = state.vertex.role == Role::Leaf && !state.leaving;
            match wanted.contains_key(&key) {
                _ if !is_counted => {}
                true if stays => swapped.kept += 1,
                true => swapped.changed += 1,
                false => swapped.removed += 1,
            }
            if stays || state.leaving {
                continue;
            }
            state.leaving = true;
            let rank = state.rank;
            if state.is_watched() {
                let id = VertexId { index, generation: state.generation };
                self.orders.push(Order::Unwatch(id));
            }
            self.forget(rank, index);
        }
        let leaves = next.vertices.iter().filter(|vertex| vertex.role == Role::Leaf).count();
        swapped.added = leaves.saturating_sub(swapped.kept + swapped.changed);
        self.next = Some(next);
        self.forget_rest();
        self.swap_if_at_rest();
        Ok(swapped)
    }

    /// The same for a graph that differs from the previous one in these vertices only, each with
    /// its position; no edge differs. Returns `None` and does nothing if a full swap is needed.
    pub fn exchange(&mut self, changed: &[(u32, Vertex)]) -> Option<SwapSummary> {
        let is_simple = |(rank, new): &(u32, Vertex)| {
            let index = self.places.get(*rank as usize)?;
            let state = self.states[*index as usize].as_ref()?;
            let same = state.vertex.name == new.name && state.vertex.role == new.role;
            let bare = new.settings.semaphores.is_empty();
            (same && bare && !state.running && !state.leaving).then_some(())
        };
        let takes_up = |state: &State| state.failed && state.vertex.settings.rewatch;
        if self.next.is_some()
            || changed.iter().any(|new| is_simple(new).is_none())
            || self.states.iter().flatten().any(takes_up)
        {
            return None;
        }
        let differs = |(rank, new): &&(u32, Vertex)| {
            let state = self.states[self.places[*rank as usize] as usize].as_ref();
            state.is_some_and(|state| {
                new.digest != state.vertex.digest || new.settings != state.vertex.settings
            })
        };
        let changed: Vec<&(u32, Vertex)> = changed.iter().filter(differs).collect();
        let places = changed.iter().map(|(rank, _)| self.places[*rank as usize]);
        let places: FxHashSet<u32> = places.collect();
        self.forget_timers(&|index| places.contains(&index));
        let mut swapped = SwapSummary { kept: self.leaves, ..SwapSummary::default() };
        for (rank, new) in changed {
            let index = self.places[*rank as usize];
            let Some(state) = self.states[index as usize].take() else { continue };
            swapped.kept -= usize::from(new.role == Role::Leaf);
            swapped.changed += usize::from(new.role == Role::Leaf);
            self.replace(index, state, new.clone());
        }
        self.forget_rest();
        Some(swapped)
    }

    /// Replaces a leaving vertex that has no timers, and keeps its edges and notifications.
    fn replace(&mut self, index: u32, old: State, new: Vertex) {
        if old.is_watched() {
            let id = VertexId { index, generation: old.generation };
            self.orders.push(Order::Unwatch(id));
            self.unarmed -= usize::from(!old.armed);
        }
        self.forget_state(old.rank, index, old.vertex.settings.group);
        let mut state = self.fresh(new, old.rank);
        state.incoming = old.incoming;
        state.outgoing = old.outgoing;
        (state.unsettled, state.settled) = (old.unsettled, old.settled);
        self.start_watch(index, &state);
        self.states[index as usize] = Some(state);
        self.refresh_vertex(index);
    }

    /// Continues a swap once no removed vertex is running.
    pub(super) fn swap_if_at_rest(&mut self) {
        let is_busy = |state: &State| state.leaving && state.running;
        if self.next.is_none() || self.states.iter().flatten().any(is_busy) {
            return;
        }
        if let Some(next) = self.next.take() {
            let pending = self.remove_leaving();
            self.place(next, &pending);
        }
    }

    /// Removes vertices that are not in the next graph. Returns the edges of the others that carry
    /// notifications.
    fn remove_leaving(&mut self) -> FxHashSet<(u32, u32)> {
        let mut pending = FxHashSet::default();
        let mut removed = FxHashSet::default();
        for index in 0..self.states.len() as u32 {
            let Some(state) = self.states[index as usize].as_mut() else { continue };
            if state.leaving {
                self.unarmed -= usize::from(!state.armed && state.is_watched());
                let key = state.vertex.key();
                if self.by_name.get(&key) == Some(&index) {
                    self.by_name.remove(&key);
                }
                self.states[index as usize] = None;
                self.free.push(index);
                removed.insert(index);
                continue;
            }
            let carry = state.incoming.iter().filter(|edge| edge.pending || edge.taken);
            pending.extend(carry.map(|edge| (edge.from, index)));
            state.incoming.clear();
            state.outgoing.clear();
        }
        self.forget_timers(&|index| removed.contains(&index));
        self.forget_ready();
        pending
    }

    fn forget_timers(&mut self, is_gone: &dyn Fn(u32) -> bool) {
        let due = &mut self.due;
        self.timers.retain(|(_, index, timer)| {
            let stays = !is_gone(*index);
            *due -= usize::from(!stays && *timer != Timer::Poll);
            stays
        });
    }

    /// Puts the vertices of a graph in their positions, including new ones.
    fn place(&mut self, next: SchedulerGraph, pending: &FxHashSet<(u32, u32)>) {
        if !self.tries.is_empty() {
            let names: FxHashSet<&ResourceRef> = next.vertices.iter().map(|v| &v.name).collect();
            self.tries.retain(|name, _| names.contains(name));
        }
        let mut places = Vec::with_capacity(next.vertices.len());
        for (rank, vertex) in next.vertices.into_iter().enumerate() {
            let rank = rank as u32;
            match self.by_name.get(&vertex.key()) {
                Some(&index) => {
                    if let Some(state) = self.state(index) {
                        state.rank = rank;
                    }
                    places.push(index);
                }
                None => places.push(self.add(vertex, rank)),
            }
        }
        for edge in &next.edges {
            let (from, to) = (places[edge.from as usize], places[edge.to as usize]);
            let is_pending = edge.notify && pending.contains(&(from, to));
            let Some(state) = self.state(to) else { continue };
            let at = state.incoming.len() as u32;
            // A running check acts on the notifications that it took.
            let (pending, taken) = (is_pending && !state.running, is_pending && state.running);
            state.incoming.push(IncomingEdge { from, notify: edge.notify, pending, taken });
            if let Some(state) = self.state(from) {
                state.outgoing.push((to, at));
            }
        }
        for &index in &places {
            let Some(state) = self.states[index as usize].as_ref() else { continue };
            let is_unsettled = |edge: &&IncomingEdge| {
                self.states[edge.from as usize].as_ref().is_some_and(|from| !from.settled)
            };
            let unsettled = state.incoming.iter().filter(is_unsettled).count() as u32;
            if let Some(state) = self.state(index) {
                state.unsettled = unsettled;
                state.settled = unsettled == 0 && state.is_clean();
            }
            self.consider(index);
        }
        self.places = places;
        let states = self.states.iter().flatten();
        self.leaves = states.filter(|state| state.vertex.role == Role::Leaf).count();
    }

    fn add(&mut self, vertex: Vertex, rank: u32) -> u32 {
        let key = vertex.key();
        let state = self.fresh(vertex, rank);
        let index = self.free.pop().unwrap_or_else(|| {
            self.states.push(None);
            self.states.len() as u32 - 1
        });
        self.start_watch(index, &state);
        self.states[index as usize] = Some(state);
        self.by_name.insert(key, index);
        index
    }

    /// The state of a vertex that is new.
    fn fresh(&mut self, vertex: Vertex, rank: u32) -> State {
        self.generation += 1;
        if vertex.settings.reset {
            self.tries.remove(&vertex.name);
        }
        let tries = self.tries.get(&vertex.name).copied().unwrap_or_default();
        let mut state = State::new(self.generation, vertex, rank, self.now);
        state.tries = tries;
        state.armed = !state.is_watched();
        state
    }

    fn start_watch(&mut self, index: u32, state: &State) {
        if state.is_watched() {
            self.unarmed += 1;
            let id = VertexId { index, generation: state.generation };
            self.orders.push(Order::Watch(id));
        }
    }
}
