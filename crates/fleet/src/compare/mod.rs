//! Compares the graphs of a node, and the files that its resources copy.

mod document;
mod files;
mod graphs;

pub(crate) use files::{SourceFiles, addresses};
pub(crate) use graphs::{Found, Place, compare};
