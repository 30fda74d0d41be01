//! Bounds of evaluation.

/// The maximum number of values in a list or map, besides those of the documents.
pub(crate) const MAX_NODES: u64 = 2_000_000;
/// The maximum depth of values.
pub(crate) const MAX_NESTED: u32 = 500;
/// The maximum depth of nested templates, files and merges.
pub(crate) const MAX_INSIDE: u32 = 500;
/// Four times the bytes of stack that a chain of nodes may use outside of lambdas.
pub(crate) const CHAIN_STACK: usize = 16 << 20;
/// The maximum number of nodes under evaluation, besides those for the documents.
pub(crate) const MAX_INSTS: usize = 500_000;
/// The number of additional nodes for each document node.
pub(crate) const INSTS_OF_NODE: usize = 4;
