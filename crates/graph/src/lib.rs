//! The resource graph: what every front end makes and the engine takes.
//!
//! A [`Graph`] holds resources with their attributes, edges between them, and for everything the
//! [`Origin`]: where it was written and the chain that led there. [`order`] says what comes before
//! what, [`explain`] why something is as it is, [`diff`] what two graphs differ in. It is written and read as Ordain's own [`json`], as a Puppet catalog
//! ([`puppet_catalog`]), and written as [`dot`]. It knows neither languages nor the engine; [`language`] says what every
//! language is to others.

mod components;
pub mod cycle;
pub mod diff;
pub mod dot;
pub mod explain;
pub mod exports;
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
#[cfg(test)]
mod testing;
pub mod transfer;

pub use cycle::Cycle;
pub use model::{
    Attribute, Barrier, Containment, Edge, EdgeKind, Graph, Loser, METAPARAMETERS, Resource,
    ResourceId, ResourceRef,
};
pub use origin::{Origin, OriginId, OriginTable, Step};
pub use relations::Relations;
pub use served::ServedFiles;
