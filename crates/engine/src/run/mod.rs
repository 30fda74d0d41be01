//! The top floor: carrying out a graph.
//!
//! [`prepare`] parses and orders a graph, [`plan`] compares it with the machine, and [`apply`]
//! makes the changes. They decide order, noop, failure and refresh for all kinds. [`reconcile`]
//! keeps a graph true, [`saved`] stores a plan for later, and [`backup`] saves changed paths for a
//! rollback.

pub mod apply;
pub(crate) mod audit;
pub mod automatic;
pub mod backup;
pub(crate) mod batch;
pub mod current;
pub mod deferred;
pub(crate) mod forecast;
pub mod observer;
pub mod plan;
pub mod prepare;
pub mod reconcile;
pub(crate) mod redact;
pub mod reversal;
pub mod saved;
pub(crate) mod schedule;
pub(crate) mod step;
pub(crate) mod transfer;
pub mod unfinished;
