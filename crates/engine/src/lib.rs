//! The engine: makes a machine match a resource graph.
//!
//! It depends on graphs and kinds of resources, not on languages. It has four floors, and each
//! knows only those below it:
//!
//! | floor | |
//! | --- | --- |
//! | [`mod@run`] | carries out a graph: prepare, plan, apply, reconcile, backup |
//! | [`kinds`] | the kinds of resources, one file or directory each |
//! | [`kind`] | the contract of a kind: traits, attributes, changes, reports |
//! | [`system`] | the machine: paths, files, accounts, commands, watches |
//!
//! Next to `run` are [`serve`], which reads the sources of files for static catalogs, [`fetch`],
//! which reads documents from web servers, and [`cluster`], the values that hosts share.

pub mod cluster;
pub mod fetch;
pub mod kind;
pub mod kinds;
pub mod run;
pub mod serve;
pub mod system;
pub mod tls;

pub use kind::report;
pub use kinds::shared::shared_kv;
pub use run::{
    apply, automatic, backup, current, deferred, observer, plan, prepare, reconcile, reversal,
    saved, unfinished,
};
pub use system::{accounts, host, runner, watch};
