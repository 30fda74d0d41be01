//! Child processes that end with the process that started them.
//!
//! Programs are started by *supervisors*: processes of this program that do nothing else
//! ([`supervisor`]). A supervisor is the subreaper of all that its program starts, so no process
//! leaves its tree, whatever group or session it goes to. It ends the tree when it is told to, and
//! when the process that it works for ends in whatever way. One supervisor serves one program after
//! another; one that was left with a daemon is not used again.
//!
//! Where no supervisor was installed ([`install`]), as in tests of libraries, programs are children
//! of this process, each with a process group of its own.

#![warn(clippy::indexing_slicing)]

mod affinity;
mod cgroup;
mod client;
mod direct;
mod hold;
pub mod interruption;
mod launch;
mod message;
mod run;
pub mod supervisor;
mod tree;
mod world;

pub use client::{Running, force, shutdown, start};
pub use hold::hold_while_programs_run;
pub use launch::{Launch, OrphanPolicy, RunAs};
pub use run::{Limits, Output, run};
pub use world::install;
