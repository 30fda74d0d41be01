//! The resource graph, which front ends create and the engine applies.
//!
//! A [`Graph`] has resources with their attributes, edges between them, and the [`Origin`] of each
//! part: its place in a source and the chain that led there. [`order`] sorts resources, [`explain`]
//! shows origins, and [`diff`] compares two graphs. Graphs are read and written as [`json`] or as a
//! Puppet catalog ([`puppet_catalog`]), and written as [`dot`]. The crate knows neither languages
//! nor the engine; [`language`] is the common interface of front ends.

mod components;
pub mod cycle;
pub mod diff;
pub mod dot;
pub mod explain;
pub mod exports;
pub mod fleet;
pub mod join;
pub mod json;
pub mod language;
pub mod locate;
pub mod model;
pub mod order;
pub mod origin;
pub mod place;
pub mod protected;
pub mod puppet_catalog;
pub mod relations;
pub mod served;
pub mod shared;
#[cfg(test)]
mod testing;
pub mod transfer;

pub use cycle::Cycle;
pub use model::{
    Attribute, Barrier, Containment, Edge, EdgeKind, Graph, LookupCall, METAPARAMETERS,
    OverriddenValue, Resource, ResourceId, ResourceRef,
};
pub use origin::{DataStep, Origin, OriginId, OriginTable, Step};
pub use relations::Relations;
pub use served::ServedFiles;
