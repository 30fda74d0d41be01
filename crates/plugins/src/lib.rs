//! Runs the code that modules bring: Puppet's functions, Hiera back ends, ERB templates and resource
//! types in Ruby; Inmanta's plug-ins, resources and references in Python.
//!
//! The code runs in child processes, `ruby` or `python3` as found on the machine. One is started when it is
//! first needed and stays; compiles that run at the same time have one each. What it offers of Puppet's and Inmanta's programming interfaces is our own
//! (the files in `ruby/` and `python/`), so neither need be installed. A [`Session`] is the right to talk with a child;
//! while a call is under way the child asks things of the compile, and the compile may call it
//! again, so both ends of a conversation are requests and answers by turns.
//!
//! The child has a limit for its memory and one for the time of a call. When it does not keep them,
//! ends, or says something else than it should, all that it started is killed, and the next session
//! starts another.

mod fault;
mod host;
mod script;

pub use fault::Fault;
pub use host::{Host, Language, Limits, Session};

/// A host whose language is Ruby unless it is made otherwise.
pub type Ruby = Host;
