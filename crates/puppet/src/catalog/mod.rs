//! The catalog while it is compiled: resources, classes, overrides, collectors, relationships.

/// The index of a resource in the catalog that is being compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResourceId(pub u32);
