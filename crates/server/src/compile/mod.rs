//! Compiles on a pool of threads, in environments that stay open.

mod environments;
mod languages;
mod links;
mod pool;
mod revision;
mod watcher;

pub(crate) use environments::{EnvironmentError, Environments, OpenedEnvironment};
pub(crate) use languages::{NodeValues, compile_entry, entry_of, may_share_values};
pub(crate) use pool::{Pool, Refused};
