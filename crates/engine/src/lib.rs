//! The engine: makes a machine match a resource graph.
//!
//! It knows graphs and kinds of resources, and no language. The floor plan: [`kind`] is the
//! contract of a resource kind, `kinds/` has one file for each, [`host`] is the machine that they
//! act on, and planning and applying decide order, noop, failure and refresh for all kinds alike.

pub mod host;
pub mod kind;
