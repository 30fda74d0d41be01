//! Compares the graphs of a node, and the files that its resources copy.

mod document;
mod files;
mod graphs;

pub(crate) use files::{SourceFiles, addresses};
pub use graphs::compare_graphs;
pub(crate) use graphs::{Found, Place, compare, cycles};
