//! The language server protocol: one loop that handles the messages of an editor in their order.
//!
//! Changes are applied at once and checked when no message waits, so several quick keys cause one check.
//! Requests are answered on a snapshot. They end early when the editor cancels them. One other thread
//! loads and checks all files, another one finds the nodes that use each definition, and each plan has
//! its own.

mod convert;
mod documents;
mod plan;
mod requests;
mod run;
mod uri;

pub use plan::{PlanFacts, PlanRequest, PlanText, Planner};
pub use run::{run, serve_stdio};
