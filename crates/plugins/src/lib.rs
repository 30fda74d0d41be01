//! Runs code of modules: Puppet's functions, Hiera backends, ERB templates and resource types in
//! Ruby; Inmanta's plugins, resources and references in Python.
//!
//! The code runs in child processes, `ruby` or `python3` of the machine. A child is started on
//! demand and reused; concurrent compiles have one each. The programming interfaces of Puppet and
//! Inmanta are reimplemented (the files in `ruby/` and `python/`), so neither has to be installed.
//! A [`Session`] gives access to a child. During a call the child may send requests to the compile,
//! and the compile may call it again.
//!
//! The memory of a child and the time of a call are limited. If a child exceeds a limit, ends, or
//! sends an invalid message, it is killed with its descendants, and the next session starts
//! another.
//!
//! Without the feature `interpreters`, the crate has the same interface, and no session begins: so is
//! the program of the agent, whose graphs need no code of modules.

mod fault;
#[cfg(feature = "interpreters")]
mod host;
#[cfg(not(feature = "interpreters"))]
#[path = "no_host.rs"]
mod host;
mod language;
mod limits;
#[cfg_attr(
    not(feature = "interpreters"),
    allow(dead_code, reason = "only providers start interpreters then")
)]
mod script;

pub use fault::Fault;
pub use host::{Host, Session};
pub use language::Language;
pub use limits::Limits;
pub use script::ProviderProgram;

/// A host. Its default language is Ruby.
pub type Ruby = Host;
