//! The evaluation of Puppet's language, in one executable, since each takes seconds to link.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod codes;
mod deferred;
mod differential;
mod errors;
mod eyaml_gpg;
mod eyaml_plugin;
mod functions;
mod hiera;
mod hiera3;
mod hostile;
mod hostile_syntax;
mod models;
mod operators;
mod recorded;
mod ruby;
mod ruby_native;
mod ruby_types;
mod syntax;
