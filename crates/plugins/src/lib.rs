//! Runs the Ruby code that modules bring: functions, Hiera back ends, ERB templates, resource types.
//!
//! The code runs in a child process, `ruby` as found on the machine, which is started when it is
//! first needed and stays. What it offers of Puppet's programming interface is our own (the files in
//! `ruby/`), so Puppet need not be installed. A [`Session`] is the right to talk with the child;
//! while a call is under way the child asks things of the compile, and the compile may call it
//! again, so both ends of a conversation are requests and answers by turns.
//!
//! The child has a limit for its memory and one for the time of a call. When it does not keep them,
//! ends, or says something else than it should, all that it started is killed, and the next session
//! starts another.

// Child processes are the World's business.
#![warn(clippy::disallowed_methods)]

mod fault;
mod ruby;
mod script;

pub use fault::Fault;
pub use ruby::{Limits, Ruby, Session};
