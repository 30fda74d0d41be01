//! The engine: makes a machine match a resource graph.
//!
//! It knows graphs and kinds of resources, and no language. The floor plan: [`kind`] is the
//! contract of a resource kind, `kinds/` has one file for each, [`host`] is the machine that they
//! act on. [`prepare`] parses a graph and puts it into order, [`plan`] compares all of it with the
//! machine, [`apply`] changes what differs: they decide order, noop, failure and refresh for all
//! kinds alike. [`reconcile`] decides what is looked at when,
//! for those who keep a graph true. [`saved`] keeps a plan for later, [`serve`] looks at the
//! sources of files for static catalogs.

pub mod accounts;
pub mod apply;
pub mod attributes;
pub mod audit;
pub mod automatic;
mod deadline;
pub mod deferred;
pub mod fetch;
pub mod forecast;
pub mod host;
pub mod kind;
pub mod kinds;
pub mod past;
pub mod plan;
pub mod prepare;
pub mod reconcile;
mod redact;
pub mod registry;
pub mod report;
pub mod reversal;
pub mod runner;
pub mod safety;
pub mod saved;
pub mod schedule;
pub mod serve;
pub mod step;
mod successor;
mod together;
mod transfer;
pub mod unfinished;
pub mod watch;
pub mod world;
