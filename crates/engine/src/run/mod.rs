//! The top floor: carrying out a graph.
//!
//! [`prepare`] parses a graph and puts it into order, [`plan`] compares all of it with the machine,
//! [`apply`] changes what differs. They decide order, noop, failure and refresh for all kinds alike.
//! [`reconcile`] keeps a graph true, [`saved`] keeps a plan for later, [`backup`] saves what is
//! changed for a rollback.

pub mod apply;
pub(crate) mod audit;
pub mod automatic;
pub mod backup;
pub(crate) mod batch;
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
