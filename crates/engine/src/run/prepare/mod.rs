//! From a graph to ordered, parsed resources: everything that does not need the machine.

mod build;
mod evaluate;
mod incremental;
mod model;
mod parse;
mod unmanaged;

pub(crate) use model::IncrementalUpdate;
pub use model::{Item, Options, Prepared, Ready, ResolveSource, RetryPolicy};
