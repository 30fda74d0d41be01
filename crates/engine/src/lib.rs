//! The engine: makes a machine match a resource graph.
//!
//! It knows graphs and kinds of resources, and no language. It has four floors, and each knows only
//! those below it:
//!
//! | floor | |
//! | --- | --- |
//! | [`mod@run`] | carries out a graph: prepare, plan, apply, reconcile, backup |
//! | [`kinds`] | the kinds of resources, one file or directory each |
//! | [`kind`] | the contract of a kind: traits, attributes, changes, reports |
//! | [`system`] | the machine: paths, files, accounts, commands, watches |
//!
//! Beside `run` stand [`serve`], which looks at the sources of files for static catalogs, and
//! [`fetch`], which reads documents on web servers.

pub mod fetch;
pub mod kind;
pub mod kinds;
pub mod run;
pub mod serve;
pub mod system;

pub use kind::report;
pub use kinds::shared::shared_kv;
pub use run::{
    apply, automatic, backup, deferred, observer, plan, prepare, reconcile, reversal, saved,
    unfinished,
};
pub use system::{accounts, host, runner, watch};
