//! Bounds of evaluation.

/// The largest number of values a list or map may stand for, besides those of the documents.
pub(crate) const MAX_NODES: u64 = 2_000_000;
/// How deep values may be nested.
pub(crate) const MAX_NESTED: u32 = 500;
/// How deep templates, files and merges may be nested in each other.
pub(crate) const MAX_INSIDE: u32 = 500;
/// Four times the bytes of stack that a chain of nodes may use outside of lambdas.
pub(crate) const CHAIN_STACK: usize = 16 << 20;
/// The largest number of nodes under evaluation, besides some for each of the documents.
pub(crate) const MAX_INSTS: usize = 500_000;
/// How many there may be for each.
pub(crate) const INSTS_OF_NODE: usize = 4;
