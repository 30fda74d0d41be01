//! Compiles sources of all languages: detects the language of a path, opens it, compiles it, and
//! compiles it again after a change.
//!
//! [`compile()`] makes the graph of a path. A [`Session`] compiles the same sources repeatedly,
//! [`batch`] compiles many nodes, [`LiveSources`] yields a graph after every change, and
//! [`check`] checks files without a run, and
//! [`dynaml::merge`] merges documents. Diagnostics and logs go to a [`Reporter`]. The crate knows
//! nothing of arguments, terminals and exit codes.

#![allow(clippy::result_large_err, reason = "an error ends the compile; it is moved once")]

pub mod batch;
pub mod check;
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
pub mod format;
mod handler_kinds;
mod handler_source;
pub mod inmanta;
pub mod inputs;
pub mod installed;
mod kind;
mod kind_source;
pub mod languages;
pub mod lint;
mod live;
pub mod mcl;
mod module_kinds;
mod options;
pub mod private_file;
pub mod project;
pub mod puppet;
mod reporter;
mod resolve;
mod saved_kinds;
mod session;
mod shared_directory;
mod shared_store;
mod static_catalog;

pub use commit::{Commit, LoggedCommit};
pub use compile::{Purpose, check_exists, compile};
pub use compiled::Compiled;
pub use damage::report_damage;
pub use document::received;
pub use error::Error;
pub use exports::PendingExports;
pub use kind::{SourceKind, is_graph};
pub use kind_source::KindSource;
pub use live::LiveSources;
pub use options::{Handlers, Layer, Options, RubyProcesses, UsedOptions, missing_modules};
pub use reporter::{CollectingReporter, Reporter};
pub use session::Session;
pub use static_catalog::{StaticCatalog, envelope};
