//! Runs a program: a net of variables, and of units that wait for them.
//!
//! A run has one thread and first-in-first-out queues. The result depends on their order: the list
//! that is frozen first decides whether a later assignment is too late.
//!
//! | file | contents |
//! | --- | --- |
//! | `net.rs`, `state/` | the state of a run |
//! | `normalize.rs`, `run.rs` | checks before the run; the run from begin to end |
//! | `queues.rs` | the main loop, and freezing when no unit can run |
//! | `emit.rs`, `units.rs` | creating units; running them |
//! | `variables.rs`, `relations.rs` | setting, reading and freezing variables |
//! | `references.rs`, `comprehension.rs` | units of attributes and of comprehensions |
//! | `execute.rs`, `operators.rs`, `strings.rs` | evaluating expressions |
//! | `construct.rs`, `index.rs`, `dataclasses.rs` | instances and indexes |
//! | `call.rs`, `batch.rs`, `context.rs` | plugins and casts; batches of calls; the compiler as plugins see it |
//! | `validate.rs`, `direct.rs` | checks of values against types; conditions of typedefs |
//! | `finish.rs`, `results.rs` | missing values at the end; the model after a run |
//! | `reporting.rs`, `history.rs` | places of errors; assignments for explanations |

mod batch;
mod call;
mod comprehension;
mod construct;
mod context;
mod dataclasses;
mod direct;
mod emit;
mod execute;
mod finish;
mod history;
mod index;
mod net;
mod normalize;
mod operators;
mod queues;
mod references;
mod relations;
mod reporting;
mod results;
mod run;
mod state;
mod strings;
mod units;
mod validate;
mod variables;

pub use history::{Assignment, AssignmentKind, Layout};
pub use net::{Net, Settings};
pub use queues::DEFAULT_LIMIT;
