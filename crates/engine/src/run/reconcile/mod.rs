//! Keeps a graph true: decides which resource is looked at when.
//!
//! [`Scheduler`] owns all state of the resources that are kept true. It has no side effects: it
//! gets events ([`Scheduler::armed`], [`Scheduler::touched`], [`Scheduler::finished`], the time)
//! and returns orders ([`Order`]). So it works the same with threads and a clock as in a test that
//! plays thousands of histories.
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
//! [`Keeper`] drives it on a real machine: it carries out orders in threads, watches files and
//! units, and reads the clock.

mod build_graph;
mod keeper;
mod scheduler;
mod scheduler_graph;
mod semaphores;
mod settings;
mod swap;
#[cfg(test)]
mod tests;
mod vertex;
mod workers;

pub use keeper::{Keeper, TurnEvents};
pub use scheduler::{DueVertex, Order, Outcome, ReconcileStatus, Scheduler, SchedulerOptions};
pub use scheduler_graph::{
    Edge, Limit, Poll, SchedulerGraph, SchedulerGraphError, Settings, Vertex,
};
pub use swap::SwapSummary;
pub use vertex::VertexId;
