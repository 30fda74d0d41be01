//! One way from sources to a result, for all languages: find out which language a path holds, open
//! it, compile it, and compile it again after a change.
//!
//! [`compile()`] gives the graph of a path, a [`Session`] does so again and again, [`batch`] compiles
//! many nodes, [`LiveSources`] gives one graph after another, and [`dynaml::merge`] a document. Diagnostics and logs go to a [`Reporter`].
//! The crate knows nothing of arguments, terminals and exit codes.

#![allow(clippy::result_large_err, reason = "an error ends the compile; it is moved once")]

pub mod batch;
pub mod codes;
mod commit;
mod compile;
mod compiled;
pub mod cycle;
mod damage;
mod deferred;
mod document;
pub mod dynaml;
mod error;
mod exports;
pub mod inmanta;
mod kind;
pub mod languages;
mod live;
pub mod mcl;
mod options;
pub mod private_file;
pub mod project;
pub mod puppet;
mod reporter;
mod resolve;
mod session;
mod static_catalog;

pub use commit::Commit;
pub use compile::{Purpose, compile, present};
pub use compiled::Compiled;
pub use damage::report_damage;
pub use error::Error;
pub use exports::PendingExports;
pub use kind::{SourceKind, is_graph};
pub use live::LiveSources;
pub use options::{Layer, Options, UsedOptions, missing_modules};
pub use reporter::{Collected, Reporter};
pub use session::Session;
pub use static_catalog::{StaticCatalog, envelope};
