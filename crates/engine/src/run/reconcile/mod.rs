//! Keeps a graph true: decides which resource is looked at when.
//!
//! [`Scheduler`] owns all state of the resources that are kept true. It does nothing itself: it is
//! told what happened ([`Scheduler::armed`], [`Scheduler::touched`], [`Scheduler::finished`], the
//! time), and says what to do ([`Order`]). So it is the same with threads and a clock as in a test
//! that plays thousands of histories.
//!
//! Invariants:
//!
//! - A vertex is first checked when its watch is armed, so that no change is missed.
//! - A vertex is checked by one worker at a time; what happens during a check causes another.
//! - A vertex is checked only when all that it depends on, near and far, is as it shall be.
//! - What fails for good holds back what depends on it, and nothing else.
//! - A notification lives on its edge until the receiver has acted on it.
//! - In a swap all that leaves is at rest before anything new begins; what stays is not disturbed.
//!
//! [`Keeper`] is what lives by it on a real machine: it obeys the orders with threads, watches files
//! and units, and looks at the clock.

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
