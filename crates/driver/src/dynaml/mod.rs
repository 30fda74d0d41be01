//! Templates and documents of dynaml.

mod graph;
pub mod merge;

pub(crate) use graph::{graph, is_document};
