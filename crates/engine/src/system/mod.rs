//! The ground floor: the machine, its files, accounts and commands.
//!
//! Nothing here knows resources, kinds, graphs or runs. All access to the machine goes through this
//! floor: it does not follow links of other users (`path`), refuses dangerous changes (`safety`),
//! replaces files atomically (`write`) and saves the state before a change ([`host::BackupSink`]).

pub mod accounts;
pub(crate) mod deadline;
pub mod election;
pub(crate) mod file_cache;
pub mod host;
pub(crate) mod mounts;
mod originals;
pub(crate) mod path;
pub mod runner;
pub(crate) mod safety;
pub(crate) mod selinux_label;
pub mod watch;
pub(crate) mod write;
