//! From a graph to parsed resources in order: everything that is known before the machine is
//! looked at.

mod build;
mod evaluate;
mod incremental;
mod model;
mod parse;
mod unmanaged;

pub(crate) use model::IncrementalUpdate;
pub use model::{Item, Options, Prepared, Ready, ResolveSource, RetryPolicy};
