//! The state of a resource in the scheduler.

use std::collections::VecDeque;

use super::scheduler_graph::{Limit, Poll, Vertex};

/// A vertex of the scheduler. The id stays the same while swaps leave the resource unchanged, and
/// is never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VertexId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

/// An incoming edge of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncomingEdge {
    pub(super) from: u32,
    pub(super) notify: bool,
    /// Whether it carries an unhandled notification.
    pub(super) pending: bool,
    /// Whether the check that runs acts on one.
    pub(super) taken: bool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) generation: u32,
    pub(super) vertex: Vertex,
    /// Its place in the order of the graph.
    pub(super) rank: u32,
    pub(super) incoming: Vec<IncomingEdge>,
    /// The vertices that depend on it, with the index of the edge among theirs.
    pub(super) outgoing: Vec<(u32, u32)>,
    /// The number of its direct dependencies that are not settled.
    pub(super) unsettled: u32,
    /// Whether it and all its dependencies are in the desired state.
    pub(super) settled: bool,
    pub(super) armed: bool,
    /// Whether it has to be checked.
    pub(super) dirty: bool,
    pub(super) running: bool,
    /// Whether it is checked in the batch of another vertex.
    pub(super) rides: bool,
    /// Whether it failed for good.
    pub(super) failed: bool,
    /// Whether its last check failed.
    pub(super) failing: bool,
    /// Whether its last check found a difference that must not be changed.
    pub(super) would_change: bool,
    /// Whether the next graph removes or changes it.
    pub(super) leaving: bool,
    pub(super) tries: u32,
    /// The earliest time of its next check.
    pub(super) not_before: u64,
    pub(super) tokens: Option<Tokens>,
    /// The times of its last changes.
    pub(super) changes: VecDeque<u64>,
    /// The number of times it was delayed for flapping.
    pub(super) backoff: u32,
    /// Whether its flapping was reported.
    pub(super) is_named: bool,
    /// Whether its program asks for the next check.
    pub(super) is_asked: bool,
    /// Whether its program asked for the check that runs, or ran last.
    pub(super) was_asked: bool,
    /// The number of failures of its watch, each soon after it was armed.
    pub(super) breakdowns: u32,
    /// The time of the last failure of its watch.
    pub(super) broke_at: u64,
    /// How many checks in a row found that nothing differs.
    pub(super) calm_checks: u32,
}

impl State {
    pub(super) fn new(generation: u32, vertex: Vertex, rank: u32, now: u64) -> Self {
        let tokens = vertex.settings.limit.map(|limit| Tokens::new(limit, now));
        Self {
            generation,
            vertex,
            rank,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            unsettled: 0,
            settled: false,
            armed: false,
            dirty: true,
            running: false,
            rides: false,
            failed: false,
            failing: false,
            would_change: false,
            leaving: false,
            tries: 0,
            not_before: 0,
            tokens,
            changes: VecDeque::new(),
            backoff: 0,
            is_named: false,
            is_asked: false,
            was_asked: false,
            breakdowns: 0,
            broke_at: 0,
            calm_checks: 0,
        }
    }

    /// Whether a notification waits for it.
    pub(super) fn is_notified(&self) -> bool {
        self.incoming.iter().any(|edge| edge.pending)
    }

    /// Whether it is in the desired state, as far as is known.
    pub(super) fn is_clean(&self) -> bool {
        let idle = !self.dirty && !self.running && !self.failed && !self.is_notified();
        self.vertex.is_passive() || idle
    }

    /// Whether a watch reports its changes.
    pub(super) fn is_watched(&self) -> bool {
        let watched = matches!(self.vertex.settings.poll, Poll::Watch | Poll::WatchAndEvery(_));
        watched && !self.vertex.is_passive()
    }

    /// Whether it has something to do and only waits for others, for time or for a worker.
    pub(super) fn wants_to_run(&self) -> bool {
        let may = self.armed && !self.running && !self.failed && !self.leaving;
        may && !self.vertex.is_passive() && (self.dirty || self.is_notified())
    }
}

/// A bucket of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens {
    limit: Limit,
    left: f64,
    filled_at: u64,
}

impl Tokens {
    fn new(limit: Limit, now: u64) -> Self {
        Self { limit, left: f64::from(limit.burst), filled_at: now }
    }

    /// Takes a token; if there is none, returns the milliseconds until there is one.
    pub(super) fn take(&mut self, now: u64) -> Result<(), u64> {
        let passed = now.saturating_sub(self.filled_at) as f64 / 1000.0;
        let full = f64::from(self.limit.burst);
        self.left = (self.left + passed * self.limit.rate).min(full);
        self.filled_at = now;
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        if self.limit.rate <= 0.0 {
            return Err(u64::MAX);
        }
        Err(((1.0 - self.left) / self.limit.rate * 1000.0).ceil() as u64)
    }
}
