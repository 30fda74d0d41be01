//! Keeps a graph true: decides when to check each resource.
//!
//! [`Scheduler`] owns the state of all vertices. It has no side effects: it receives events
//! ([`Scheduler::armed`], [`Scheduler::touched`], [`Scheduler::finished`], the time) and returns
//! orders ([`Order`]), so that tests can simulate thousands of histories.
//!
//! Invariants:
//!
//! - A vertex is first checked when its watch is armed, so that no change is missed.
//! - A vertex is checked by one worker at a time; events during a check cause another one.
//! - A vertex is checked only when all its dependencies, direct and indirect, are in the desired
//!   state.
//! - A permanent failure blocks dependents, and nothing else.
//! - A notification lives on its edge until the receiver has acted on it.
//! - In a swap all removed vertices finish before new ones begin; the others are not disturbed.
//!
//! [`Reconciler`] drives it on a real machine: it carries out orders with threads, watches files and
//! units, and reads the clock.

mod build_graph;
mod reconciler;
mod scheduler;
mod scheduler_graph;
mod semaphores;
mod settings;
mod swap;
#[cfg(test)]
mod tests;
mod vertex;
mod workers;

pub use reconciler::{Reconciler, TurnEvents};
pub use scheduler::{DueVertex, Order, Outcome, ReconcileStatus, Scheduler, SchedulerOptions};
pub use scheduler_graph::{
    Edge, Limit, Poll, SchedulerGraph, SchedulerGraphError, Settings, Vertex,
};
pub use swap::SwapSummary;
pub use vertex::VertexId;
