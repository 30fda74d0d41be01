//! A server in front of an old one. It passes the requests of agents to the old server and the
//! replies to the agents, compiles the same catalogs beside it, and collects the differences.

mod capture;
mod copied_files;
mod file_comparison;
mod headers;
mod old_files;
mod pass;
mod passed;
mod requests;
mod results;
mod state;
mod upstream;

pub(crate) use copied_files::CopyingResources;
pub(crate) use file_comparison::{ComparedFiles, NodeCode};
pub(crate) use pass::{is_own, pass, revocation_lists};
pub(crate) use results::{NodeResult, Seconds, View};
pub(crate) use state::{Comparison, Shadow};
