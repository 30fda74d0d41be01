//! The ground floor: the machine, its files, accounts and commands.
//!
//! Nothing here knows of resources, kinds, graphs or runs. Whatever touches the machine does so
//! through this floor, so that links of other users are not followed ([`path`]), what is dangerous is
//! refused ([`safety`]), files are replaced as a whole ([`write`](self::write)) and the state before a
//! change is saved ([`host::BackupSink`]).

pub mod accounts;
pub(crate) mod deadline;
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
