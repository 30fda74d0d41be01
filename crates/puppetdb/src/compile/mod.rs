//! The store as compiles see it: exported resources, and queries of manifests.

mod exports;
mod queries;

pub use exports::StoredExports;
pub use queries::StoredNodes;
