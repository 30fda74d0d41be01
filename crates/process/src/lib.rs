//! Child processes that end with the process that started them.
//!
//! Programs are started by *supervisors*: processes of this program that do nothing else
//! ([`supervisor`]). A supervisor is the subreaper of all descendants of its program, so no process
//! leaves its tree, even in another group or session. It kills the tree on request, and when the
//! process that it serves ends in any way. A supervisor serves one program after another; after one
//! that leaves a daemon it is not used again.
//!
//! Without installed supervisors ([`install`]), as in tests of libraries, programs are children of
//! this process, each in its own process group.

#![warn(clippy::indexing_slicing)]

mod affinity;
mod cgroup;
mod client;
mod direct;
mod hold;
pub mod interruption;
mod launch;
mod message;
mod read_only;
mod run;
pub mod supervisor;
mod tree;
mod world;

pub use client::{Running, force, shutdown, start};
pub use hold::hold_while_programs_run;
pub use launch::{Launch, OrphanPolicy, RunAs};
pub use run::{Limits, Output, run, run_until};
pub use world::install;
